#include "net/http_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/raw_client.h"

namespace assay {
namespace {

using test::Client;
using test::Response;

// Hands out its pieces one by one, with a pause after each.
class Pieces final : public HttpStream {
 public:
  Pieces(int count, Duration pause, std::atomic<int>* alive = nullptr) : count_(count), pause_(pause), alive_(alive) {
    if (alive_) ++*alive_;
  }
  ~Pieces() override {
    if (alive_) --*alive_;
  }
  StreamStep next(std::string& out) override {
    if (count_-- <= 0) return {StreamStep::kEnd, {}};
    out += "piece\n";
    return {StreamStep::kMore, pause_};
  }

 private:
  int count_;
  Duration pause_;
  std::atomic<int>* alive_;
};

HttpReply reply_with(std::unique_ptr<HttpStream> stream) {
  HttpReply reply;
  reply.stream = std::move(stream);
  return reply;
}

std::unique_ptr<HttpServer> start(HttpHandler handler, const HttpServerOptions& options = {}) {
  auto server = HttpServer::start(std::move(handler), options);
  if (!server) ADD_FAILURE() << server.error().message;
  return server ? std::move(*server) : nullptr;
}

HttpReply echo(const HttpRequest& request) {
  HttpReply reply;
  reply.body = fmt::format("{} {} {} {} {}", request.method, request.path, request.query, request.header("x-TEST"), request.body);
  return reply;
}

TEST(HttpServer, HandsTheRequestToTheHandler) {
  auto server = start(echo);
  Client client(server->port());
  client.send("POST /p/q?a=b HTTP/1.1\r\nHost: x\r\nX-Test: y\r\nContent-Length: 4\r\n\r\nbody");
  Response response = client.read();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "POST /p/q a=b y body");
}

TEST(HttpServer, KeepsTheConnectionAndAnswersPipelinedRequestsInOrder) {
  auto server = start(echo);
  Client client(server->port());
  client.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.read().body, "GET /1   ");
  EXPECT_EQ(client.read().body, "GET /2   ");
  client.send("GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.read().body, "GET /3   ");
  EXPECT_TRUE(client.readable(1000));
  EXPECT_FALSE(client.read_until("more"));
}

TEST(HttpServer, ReadsChunkedBodiesAndExpectations) {
  auto server = start(echo);
  Client client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n");
  ASSERT_TRUE(client.read_until("HTTP/1.1 100 Continue\r\n\r\n"));
  client.send("3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n");
  ASSERT_TRUE(client.read_until("abcd"));
}

TEST(HttpServer, AnswersHeadWithoutBody) {
  auto server = start(echo);
  Client client(server->port());
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(client.read_until("GET /2"));
  EXPECT_EQ(client.input().find("HEAD /"), std::string::npos);
}

TEST(HttpServer, RefusesWhatIsNoHttpAndWhatIsTooLarge) {
  HttpServerOptions options;
  options.body_limit = 10;
  auto server = start(echo, options);
  Client noise(server->port());
  noise.send("\x16\x03\x01 hello\r\n\r\n");
  EXPECT_EQ(noise.read().status, 400);
  Client large(server->port());
  large.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(large.read().status, 413);
}

TEST(HttpServer, StreamsInChunksAndWithoutThemToOldClients) {
  auto server = start([](const HttpRequest&) { return reply_with(std::make_unique<Pieces>(3, Duration(1000))); });
  Client client(server->port());
  for (int i = 0; i < 2; ++i) {
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    Response response = client.read();
    EXPECT_TRUE(response.complete);
    EXPECT_EQ(response.body, "piece\npiece\npiece\n");
  }
  Client old(server->port());
  old.send("GET / HTTP/1.0\r\n\r\n");
  Response response = old.read();
  EXPECT_EQ(response.head.find("chunked"), std::string::npos);
  EXPECT_EQ(response.body, "piece\npiece\npiece\n");
}

TEST(HttpServer, SendsMoreThanTheSocketTakesAtOnce) {
  auto server = start([](const HttpRequest& request) {
    HttpReply reply;
    if (request.path == "/stream") return reply_with(std::make_unique<Pieces>(20'000, Duration::zero()));
    reply.body = std::string(20 << 20, 'x');
    return reply;
  });
  Client client(server->port());
  client.send("GET /body HTTP/1.1\r\nHost: x\r\n\r\nGET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.read().body.size(), size_t{20} << 20);
  EXPECT_EQ(client.read().body.size(), size_t{20'000} * 6);
}

TEST(HttpServer, EndsAStreamWhosePeerWentAway) {
  std::atomic<int> alive = 0;
  auto server = start([&](const HttpRequest&) { return reply_with(std::make_unique<Pieces>(2, std::chrono::hours(1), &alive)); });
  Client client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(client.read_until("piece"));
  EXPECT_EQ(alive, 1);
  client.close();
  for (int i = 0; i < 500 && alive > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(alive, 0);
}

TEST(HttpServer, APipelinedRequestDoesNotEndThePauseOfAStream) {
  auto server = start([](const HttpRequest&) { return reply_with(std::make_unique<Pieces>(2, std::chrono::milliseconds(20))); });
  Client client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(client.read().complete);
  EXPECT_TRUE(client.read().complete);
}

TEST(HttpServer, StopsWithOpenStreamsAndIdleConnections) {
  std::atomic<int> alive = 0;
  auto server =
      start([&](const HttpRequest&) { return reply_with(std::make_unique<Pieces>(100, std::chrono::hours(1), &alive)); });
  std::vector<Client> clients;
  for (int i = 0; i < 20; ++i)
    clients.emplace_back(server->port());
  for (int i = 0; i < 10; ++i)
    clients[static_cast<size_t>(i)].send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(clients[static_cast<size_t>(i)].read_until("piece"));
  server->stop();
  server->stop();
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(clients[0].read_until("more"));
  EXPECT_FALSE(clients[19].read_until("more"));
}

TEST(HttpServer, AHandlerThatThrowsIsAServerError) {
  auto server = start([](const HttpRequest&) -> HttpReply { throw std::runtime_error("x"); });
  Client client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.read().status, 500);
}

TEST(HttpServer, SaysWhyItCannotListen) {
  auto server = start(echo);
  HttpServerOptions options;
  options.port = server->port();
  auto second = HttpServer::start(echo, options);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("cannot listen on 127.0.0.1:"), std::string::npos);
  options.host = "nowhere at all";
  EXPECT_FALSE(HttpServer::start(echo, options));
}

}  // namespace
}  // namespace assay
