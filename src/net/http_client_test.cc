#include "net/http_client.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/post.hpp>

#include "net/http_server.h"
#include "support/loop_support.h"
#include "support/raw_server.h"

namespace assay {
namespace {

using Kind = HttpEnd::Kind;
using test::kLong;
using test::ms;
using test::Peer;
using test::RawServer;

struct Answer final : HttpSink {
  void on_header(std::string_view name, std::string_view value) override { headers += fmt::format("{}={}\n", name, value); }
  void on_status(int code) override { statuses.push_back(code); }
  bool on_bytes(std::string_view bytes, Time at) override {
    body += bytes;
    times.push_back(at);
    if (on_piece) on_piece();
    return body.size() < stop_at;
  }
  std::vector<int> statuses;
  std::string headers;
  std::string body;
  std::vector<Time> times;
  size_t stop_at = SIZE_MAX;
  std::function<void()> on_piece;
};

// Hands out pieces with a pause after each.
class Pieces final : public HttpStream {
 public:
  Pieces(int count, Duration pause) : count_(count), pause_(pause) {}
  StreamStep next(std::string& out) override {
    if (count_-- <= 0) return {StreamStep::kEnd, {}};
    out += "piece\n";
    return {StreamStep::kMore, pause_};
  }

 private:
  int count_;
  Duration pause_;
};

std::string url(const HttpServer& server) { return fmt::format("http://127.0.0.1:{}/run", server.port()); }

class HttpClientTest : public test::LoopTest {
 protected:
  std::unique_ptr<HttpServer> serve(HttpHandler handler) {
    auto server = HttpServer::start(std::move(handler), {});
    if (!server) ADD_FAILURE() << server.error().message;
    return server ? std::move(*server) : nullptr;
  }
  HttpEnd post(const std::string& to, std::string body = "{}", CancelToken token = {}) {
    return run(client->post({to, {{"X-A", "b"}, {"X-Empty", ""}}, std::move(body)}, answer, token));
  }

  // Closes what is kept open, so that a peer's thread ends.
  void TearDown() override { client.reset(); }

  std::optional<HttpClient> client{std::in_place, loop};
  Answer answer;
};

TEST_F(HttpClientTest, PostsAndTellsStatusHeadersAndBody) {
  std::string seen;
  auto server = serve([&](const HttpRequest& request) {
    seen = fmt::format("{} {} {} [{}] [{}] {}", request.method, request.path, request.header("x-a"), request.header("expect"),
                       request.header("accept-encoding"), request.body);
    HttpReply reply;
    reply.status = 201;
    reply.headers = {{"X-Thing", "  one "}};
    reply.body = "hello";
    return reply;
  });
  HttpEnd end = post(url(*server), std::string("a\0b", 3));
  EXPECT_EQ(end.kind, Kind::kComplete) << end.error;
  EXPECT_EQ(end.status, 201);
  EXPECT_EQ(answer.statuses, std::vector<int>{201});
  EXPECT_NE(answer.headers.find("X-Thing=one\n"), std::string::npos) << answer.headers;
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(seen, std::string("POST /run b [] [] a\0b", 21));
}

TEST_F(HttpClientTest, TimesOfAStreamDoNotGoBack) {
  auto server = serve([](const HttpRequest&) {
    HttpReply reply;
    reply.stream = std::make_unique<Pieces>(5, ms(10));
    return reply;
  });
  Time start = clock.now();
  HttpEnd end = post(url(*server));
  EXPECT_EQ(answer.body.size(), 30u);
  ASSERT_GE(answer.times.size(), 2u);
  EXPECT_GE(answer.times.front(), start);
  EXPECT_TRUE(std::is_sorted(answer.times.begin(), answer.times.end()));
  EXPECT_GE(answer.times.back() - answer.times.front(), ms(10));
  EXPECT_GE(end.at, answer.times.back());
}

TEST_F(HttpClientTest, UsesAConnectionAgain) {
  RawServer server([](Peer& peer) {
    while (!peer.read_request().empty())
      peer.answer("200 OK", "x");
  });
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(post(server.url()).kind, Kind::kComplete);
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(answer.body, "xxxxx");
}

TEST_F(HttpClientTest, NeverPostsTwiceWhereAKeptConnectionIsClosedWithoutAnAnswer) {
  std::atomic<int> requests = 0;
  RawServer server([&](Peer& peer) {
    while (!peer.read_request().empty()) {
      if (++requests == 2) return;  // served, but the answer never comes
      peer.answer("200 OK", "x");
    }
  });
  EXPECT_EQ(post(server.url()).kind, Kind::kComplete);
  HttpEnd end = post(server.url());
  EXPECT_EQ(end.kind, Kind::kFailed);
  EXPECT_EQ(end.error, "the server closed the connection without an answer");
  EXPECT_EQ(requests, 2);
}

TEST_F(HttpClientTest, SaysThatItWasRefused) {
  HttpEnd end = post(test::refusing_url());
  EXPECT_EQ(end.kind, Kind::kRefused);
  EXPECT_EQ(end.status, 0);
  EXPECT_NE(end.error.find("Connection refused"), std::string::npos) << end.error;
}

TEST_F(HttpClientTest, SaysThatANameIsUnknownAndThatAUrlIsNone) {
  EXPECT_EQ(post("http://no-such-host.invalid/").kind, Kind::kFailed);
  EXPECT_EQ(post("file:///etc/passwd").kind, Kind::kFailed);
  EXPECT_EQ(post("::").kind, Kind::kFailed);
}

TEST_F(HttpClientTest, TellsHowABrokenPeerBroke) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
  struct Case {
    std::string bytes;
    bool reset;
    Kind kind;
    int status;
    std::string body;
  };
  const Case cases[] = {
      {"", false, Kind::kFailed, 0, ""},
      {"", true, Kind::kFailed, 0, ""},
      {"nonsense\r\n\r\n", false, Kind::kFailed, 0, ""},
      {chunked, false, Kind::kCut, 200, "hello"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", false, Kind::kCut, 200, "hello"},
      {"HTTP/1.1 200 OK\r\n\r\nhello", false, Kind::kComplete, 200, "hello"},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", false, Kind::kComplete, 503, ""},
      {chunked + "zz\r\n", false, Kind::kFailed, 200, "hello"},
  };
  for (const Case& c : cases) {
    RawServer server([&](Peer& peer) {
      peer.read_request();
      peer.send(c.bytes);
      if (c.reset) peer.reset();
    });
    answer = {};
    HttpEnd end = post(server.url());
    EXPECT_EQ(end.kind, c.kind) << c.bytes << end.error;
    EXPECT_EQ(end.status, c.status) << c.bytes;
    EXPECT_EQ(answer.body, c.body) << c.bytes;
    EXPECT_EQ(end.error.empty(), c.kind == Kind::kComplete) << c.bytes;
  }
}

TEST_F(HttpClientTest, AResetInTheMiddleKeepsWhatCame) {
  std::atomic<bool> got = false;
  RawServer server([&](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    while (!got)
      std::this_thread::sleep_for(ms(1));
    peer.reset();
  });
  answer.on_piece = [&] { got = true; };
  HttpEnd end = post(server.url());
  EXPECT_EQ(end.kind, Kind::kFailed);
  EXPECT_NE(end.error.find("reset"), std::string::npos) << end.error;
  EXPECT_EQ(answer.body, "hello");
}

TEST_F(HttpClientTest, DoesNotFollowRedirects) {
  RawServer server([](Peer& peer) {
    peer.read_request();
    peer.answer("307 Go", "", "Location: /there\r\nConnection: close\r\n");
  });
  EXPECT_EQ(post(server.url()).status, 307);
  EXPECT_EQ(server.connections(), 1);
}

// A server that sends a beginning and then waits for the client to go.
struct Stalling {
  std::atomic<bool> closed = false;
  RawServer server{[this](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    closed = peer.closes_within(60'000);
  }};
  // The thread of the server sees it a moment later.
  bool sees_the_close() const {
    for (int i = 0; i < 3000 && !closed; ++i)
      std::this_thread::sleep_for(ms(10));
    return closed;
  }
};

TEST_F(HttpClientTest, StopsWhenTheSinkHasEnough) {
  Stalling stalling;
  answer.stop_at = 5;
  EXPECT_EQ(post(stalling.server.url()).kind, Kind::kStopped);
  EXPECT_TRUE(stalling.sees_the_close());
}

TEST_F(HttpClientTest, CancellingInFlightClosesTheConnection) {
  Stalling stalling;
  CancelToken token;
  Deadline deadline(loop, ms(30), token);
  Time start = clock.now();
  HttpEnd end = post(stalling.server.url(), "{}", token);
  EXPECT_EQ(end.kind, Kind::kCancelled);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_GE(end.at - start, ms(30));  // when it was cancelled, not when the last byte came
  EXPECT_LT(clock.now() - start, kLong);
  EXPECT_TRUE(stalling.sees_the_close());
}

TEST_F(HttpClientTest, CancellingFromTheSinkAndBeforeTheStart) {
  Stalling stalling;
  CancelToken token;
  answer.on_piece = [&] { token.cancel(CancelReason::kInterrupt); };
  EXPECT_EQ(post(stalling.server.url(), "{}", token).kind, Kind::kCancelled);
  EXPECT_TRUE(stalling.sees_the_close());
  EXPECT_EQ(post(stalling.server.url(), "{}", token).kind, Kind::kCancelled);
  EXPECT_EQ(stalling.server.connections(), 1);
}

TEST_F(HttpClientTest, TheLoopEndsThoughBytesArriveWhileATransferIsCancelled) {
  auto server = serve([](const HttpRequest&) {
    HttpReply reply;
    reply.stream = std::make_unique<Pieces>(1'000'000, Duration::zero());
    return reply;
  });
  for (int i = 0; i < 50; ++i) {
    CancelToken token;
    // Cancelled by a handler of its own while the socket is readable: what is queued then must not keep the loop.
    answer.on_piece = [&] { boost::asio::post(loop.io(), [token]() mutable { token.cancel(CancelReason::kInterrupt); }); };
    EXPECT_EQ(post(url(*server), "{}", token).kind, Kind::kCancelled);
  }
}

TEST_F(HttpClientTest, MovesLargeBodiesBothWays) {
  auto server = serve([](const HttpRequest& request) {
    HttpReply reply;
    reply.body = std::string(request.body) + std::string(20 << 20, 'y');
    return reply;
  });
  HttpEnd end = post(url(*server), std::string(8 << 20, 'x'));
  EXPECT_EQ(end.kind, Kind::kComplete) << end.error;
  EXPECT_EQ(answer.body.size(), size_t{28} << 20);
  EXPECT_EQ(answer.body.substr(0, 8 << 20), std::string(8 << 20, 'x'));
}

TEST_F(HttpClientTest, HoldsFiveHundredAtATime) {
  constexpr size_t kCount = 500;
  std::atomic<int> open = 0;
  auto server = serve([&](const HttpRequest&) {
    ++open;
    HttpReply reply;
    reply.stream = std::make_unique<Pieces>(3, ms(20));
    return reply;
  });
  std::vector<Answer> answers(kCount);
  size_t complete = 0;
  auto one = [&](Answer& mine) -> Task<void> {
    HttpPost request;  // g++ 12 destroys a braced temporary of a co_await twice
    request.url = url(*server);
    HttpEnd end = co_await client->post(request, mine, CancelToken());
    complete += end.kind == Kind::kComplete && mine.body == "piece\npiece\npiece\n";
  };
  for (auto& mine : answers)
    loop.spawn(one(mine));
  turn();
  EXPECT_EQ(complete, kCount);
  EXPECT_EQ(open, static_cast<int>(kCount));
}

TEST_F(HttpClientTest, MayGoAwayIdle) {
  RawServer server([](Peer& peer) {
    peer.read_request();
    peer.answer("200 OK", "x");
    peer.closes_within(60'000);
  });
  {
    HttpClient other(loop);
    EXPECT_EQ(run(other.post({server.url(), {}, ""}, answer, CancelToken())).kind, Kind::kComplete);
  }
  turn();
  HttpClient unused(loop);
}

TEST(HttpDate, ReadsDatesOfHeaders) {
  auto date = parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT");
  ASSERT_TRUE(date);
  EXPECT_EQ(unix_ms(*date), 784111777000);
  EXPECT_FALSE(parse_http_date(""));
  EXPECT_FALSE(parse_http_date("soon"));
}

}  // namespace
}  // namespace assay
