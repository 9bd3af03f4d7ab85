#include <fmt/format.h>

#include <atomic>

#include "agent/agent.h"
#include "agent/throttle.h"
#include "net/http_client.h"
#include "support/loop_support.h"
#include "support/raw_server.h"

namespace assay {
namespace {

using Kind = RunEnd::Kind;
using test::kLong;
using test::ms;
using test::Peer;
using test::RawServer;

constexpr std::string_view kEvents = "data: {\"type\":\"RUN_STARTED\"}\n\ndata: {\"type\":\"RUN_FINISHED\"}\n\n";

struct Events final : EventSink {
  void on_request(Time at) override { requests.push_back(at); }
  bool on_event(std::string_view json, Time) override {
    all.emplace_back(json);
    return all.size() < most;
  }
  std::string refusal() const override { return "enough"; }
  bool wants_log() const override { return log_wanted; }
  void on_log(std::string_view line) override { log += std::string(line) + "\n"; }

  std::vector<Time> requests;
  std::vector<std::string> all;
  size_t most = SIZE_MAX;
  bool log_wanted = false;
  std::string log;
};

class AguiTest : public test::LoopTest {
 protected:
  AguiTest() { spec.headers = {{"Authorization", "Bearer s3cret"}, {"Accept", "*/*"}, {"content-type", "text/plain"}}; }
  void TearDown() override { http.reset(); }

  RunEnd ask(const std::string& endpoint, CancelToken token = {}) {
    spec.endpoint = endpoint;
    auto agent = make_agent(spec, limits, {&loop, &*http, &throttle, &random});
    Request request;
    request.thread_id = "t1";
    request.run_id = "r1";
    request.messages = Json::array({{{"id", "u1"}, {"role", "user"}, {"content", "hi"}}});
    request.state = {{"n", 1}};
    return run(agent->run(std::move(request), events, token));
  }
  // One answer for each connection, the last for all further ones.
  RunEnd ask_server(std::vector<std::string> answers) {
    RawServer server([&](Peer& peer) {
      std::string request = peer.read_request();
      if (request.empty()) return;
      std::lock_guard lock(mutex);
      requests.push_back(std::move(request));
      peer.send(answers[std::min(requests.size(), answers.size()) - 1]);
    });
    url = server.url("/agent");
    return ask(url);
  }
  static std::string answer(std::string_view status, std::string_view body,
                            std::string_view headers = "Content-Type: text/event-stream\r\n") {
    return fmt::format("HTTP/1.1 {}\r\n{}Connection: close\r\nContent-Length: {}\r\n\r\n{}", status, headers, body.size(), body);
  }

  std::optional<HttpClient> http{std::in_place, loop};
  Throttle throttle{loop, 0};
  std::mt19937_64 random{1};
  AgentSpec spec;
  Limits limits;
  Events events;
  std::string url;
  std::mutex mutex;
  std::vector<std::string> requests;
};

TEST_F(AguiTest, PostsARunAgentInput) {
  RunEnd end = ask_server({answer("200 OK", kEvents)});
  EXPECT_EQ(end.kind, Kind::kComplete) << end.message;
  EXPECT_EQ(end.content_type, "text/event-stream");
  EXPECT_EQ(events.all, (std::vector<std::string>{R"({"type":"RUN_STARTED"})", R"({"type":"RUN_FINISHED"})"}));
  ASSERT_EQ(requests.size(), 1u);
  const std::string& request = requests[0];
  EXPECT_TRUE(request.starts_with("POST /agent HTTP/1.1\r\n")) << request;
  for (std::string_view line :
       {"\r\nAccept: text/event-stream\r\n", "\r\nContent-Type: application/json\r\n", "\r\nAuthorization: Bearer s3cret\r\n"})
    EXPECT_NE(request.find(line), std::string::npos) << line << request;
  EXPECT_EQ(request.find("*/*"), std::string::npos);
  EXPECT_EQ(request.find("text/plain"), std::string::npos);
  EXPECT_EQ(request.substr(request.find("\r\n\r\n") + 4),
            R"({"threadId":"t1","runId":"r1","protocolVersion":"1.0","state":{"n":1},)"
            R"("messages":[{"id":"u1","role":"user","content":"hi"}],"tools":[],"context":[],"forwardedProps":{}})");
}

TEST_F(AguiTest, KeepsALogWhereOneIsWanted) {
  events.log_wanted = true;
  ask_server({answer("200 OK", kEvents)});
  EXPECT_NE(events.log.find("> POST " + url), std::string::npos);
  EXPECT_NE(events.log.find("< HTTP 200"), std::string::npos);
  EXPECT_NE(events.log.find("< data: "), std::string::npos);
}

TEST_F(AguiTest, TriesAgainWhereTheRequestWasNotServed) {
  for (std::string_view status : {"429 Slow", "502 Bad", "503 Busy", "504 Late"}) {
    requests.clear();
    events = {};
    std::string busy = answer(status, "", "Retry-After: 0\r\n");
    RunEnd end = ask_server({busy, busy, answer("200 OK", kEvents)});
    EXPECT_EQ(end.kind, Kind::kComplete) << status << end.message;
    EXPECT_EQ(requests.size(), 3u) << status;
    EXPECT_EQ(events.requests.size(), 3u) << status;
    EXPECT_TRUE(std::is_sorted(events.requests.begin(), events.requests.end()));
  }
}

TEST_F(AguiTest, GivesUpAfterItsAttempts) {
  RunEnd end = ask_server({answer("503 Busy", "no room", "Retry-After: 0\r\n")});
  EXPECT_EQ(end.kind, Kind::kHttpError);
  EXPECT_EQ(end.message, url + ": HTTP 503: the body begins with \"no room\"");
  EXPECT_EQ(requests.size(), 3u);
  requests.clear();
  spec.attempts = 1;
  ask_server({answer("503 Busy", "")});
  EXPECT_EQ(requests.size(), 1u);
}

TEST_F(AguiTest, WaitsAsLongAsRetryAfterSays) {
  ask_server({answer("429 Slow", "", "Retry-After: 1\r\n"), answer("200 OK", kEvents)});
  ASSERT_EQ(events.requests.size(), 2u);
  EXPECT_GE(events.requests[1] - events.requests[0], ms(1000));
  Time before = clock.now();
  run(throttle.pass(CancelToken()));  // the pause is over
  EXPECT_LT(clock.now() - before, kLong);
}

TEST_F(AguiTest, TriesAgainWhereItWasRefused) {
  spec.attempts = 2;
  std::string nowhere = test::refusing_url();
  RunEnd end = ask(nowhere);
  EXPECT_EQ(end.kind, Kind::kTransportError);
  EXPECT_TRUE(end.message.starts_with(nowhere + ": Connection refused")) << end.message;
  ASSERT_EQ(events.requests.size(), 2u);
  EXPECT_GE(events.requests[1] - events.requests[0], ms(900));
}

TEST_F(AguiTest, NeverTriesAgainOnceAnAnswerBegan) {
  const std::string begun = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 999\r\n\r\n";
  for (const std::string& bytes :
       std::vector<std::string>{begun, begun + "data: {\"type\":\"RUN_STARTED\"}\n\n", std::string(), std::string("junk\r\n\r\n"),
                                answer("500 Oops", ""), answer("404 No", ""), answer("401 Who", "")}) {
    requests.clear();
    ask_server({bytes});
    EXPECT_EQ(requests.size(), 1u) << bytes;
  }
}

TEST_F(AguiTest, TellsThatTheConnectionWasCut) {
  RunEnd end = ask_server({"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\ndata: {\"type\":\"RUN_STARTED\"}"});
  EXPECT_EQ(end.kind, Kind::kComplete);
  EXPECT_EQ(events.all.size(), 1u);  // without its blank line
  EXPECT_TRUE(end.unterminated);
  EXPECT_EQ(end.message, url + ": the connection was closed in the middle of the answer");
}

TEST_F(AguiTest, FollowsARedirectThatKeepsMethodAndOrigin) {
  for (std::string_view status : {"307 Go", "308 Go"}) {
    requests.clear();
    RunEnd end = ask_server({answer(status, "", "Location: /there?next=http://x\r\n"), answer("200 OK", kEvents)});
    EXPECT_EQ(end.kind, Kind::kComplete) << end.message;
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_TRUE(requests[1].starts_with("POST /there?next=http://x HTTP/1.1\r\n"));
    EXPECT_EQ(requests[0].substr(requests[0].find("\r\n\r\n")), requests[1].substr(requests[1].find("\r\n\r\n")));
  }
}

TEST_F(AguiTest, CredentialsStayAtTheirOrigin) {
  std::atomic<int> strangers = 0;
  RawServer other([&](Peer& peer) { strangers += !peer.read_request().empty(); });
  std::string port = std::to_string(other.port());
  for (const std::string& location :
       std::vector<std::string>{other.url(), "//127.0.0.1:" + port + "/", "there", "http://127.0.0.1@127.0.0.1:" + port + "/"}) {
    requests.clear();
    RunEnd end = ask_server({answer("307 Go", "", "Location: " + location + "\r\n")});
    EXPECT_EQ(end.kind, Kind::kHttpError);
    EXPECT_NE(end.message.find("redirected to " + location), std::string::npos) << end.message;
    EXPECT_EQ(requests.size(), 1u);
  }
  requests.clear();
  EXPECT_EQ(ask_server({answer("302 Go", "", "Location: /there\r\n")}).kind, Kind::kHttpError);
  EXPECT_EQ(strangers, 0);
}

TEST_F(AguiTest, ARedirectInACircleEnds) {
  RunEnd end = ask_server({answer("307 Go", "", "Location: /agent\r\n")});
  EXPECT_EQ(end.kind, Kind::kHttpError);
  EXPECT_EQ(requests.size(), 6u);
}

TEST_F(AguiTest, AWebPageInsteadOfEventsIsDescribed) {
  RunEnd end = ask_server({answer("200 OK", "<html>Log in</html>", "Content-Type: text/html\r\n")});
  EXPECT_EQ(end.kind, Kind::kComplete);
  EXPECT_EQ(end.content_type, "text/html");
  EXPECT_EQ(end.message, url + ": HTTP 200, content type \"text/html\", the body begins with \"<html>Log in</html>\"");
  EXPECT_TRUE(events.all.empty());
}

TEST_F(AguiTest, AWrongContentTypeDoesNotStopTheReading) {
  RunEnd end = ask_server({answer("200 OK", "data: {}\r\n\r\n", "Content-Type: application/json\r\n")});
  EXPECT_EQ(end.kind, Kind::kComplete);
  EXPECT_EQ(end.content_type, "application/json");
  EXPECT_TRUE(end.saw_carriage_return);
  EXPECT_EQ(events.all.size(), 1u);
}

TEST_F(AguiTest, TimesOut) {
  RawServer server([](Peer& peer) {
    std::string request = peer.read_request();
    if (request.starts_with("POST /head")) peer.send("HTTP/1.1 200 OK\r\n\r\n");
    if (request.starts_with("POST /event")) peer.send("HTTP/1.1 200 OK\r\n\r\ndata: {}\n\n");
    peer.closes_within(60'000);
  });
  spec.timeout = ms(100);
  for (const auto& [path, got] :
       {std::pair{"/none", "no response yet"}, {"/head", "no event yet"}, {"/event", "the stream had not ended"}}) {
    Time start = clock.now();
    RunEnd end = ask(server.url(path));
    EXPECT_EQ(end.kind, Kind::kTimeout);
    EXPECT_EQ(end.message, fmt::format("{}: {} after 100ms (timeout_ms)", server.url(path), got));
    EXPECT_GE(end.at - start, ms(100));
  }
  CancelToken token;
  Deadline deadline(loop, ms(10), token);
  EXPECT_EQ(ask(server.url("/none"), token).kind, Kind::kCancelled);
}

TEST_F(AguiTest, APauseEndsWithTheTimeout) {
  spec.timeout = ms(50);
  Time start = clock.now();
  RunEnd end = ask_server({answer("429 Slow", "", "Retry-After: 3600\r\n")});
  EXPECT_NE(end.kind, Kind::kComplete);
  EXPECT_LT(clock.now() - start, kLong);
}

TEST_F(AguiTest, LimitsEventsAndTurns) {
  limits.event_bytes = 100;
  RunEnd end = ask_server({answer("200 OK", "data: " + std::string(200, 'x') + "\n\n")});
  EXPECT_EQ(end.message, url + ": event_bytes: an event is longer than 100 bytes");
  limits.turn_bytes = 150;
  std::string many;
  for (int i = 0; i < 20; ++i)
    many += "data: 0123456789\n\n";
  end = ask_server({answer("200 OK", many)});
  EXPECT_EQ(end.kind, Kind::kTransportError);
  EXPECT_EQ(end.message, url + ": turn_bytes: more than 150 bytes in one turn");
  EXPECT_EQ(ask_server({answer("500 Oops", std::string(100'000, 'x'))}).kind, Kind::kHttpError);
}

TEST_F(AguiTest, StopsWhereTheSinkRefuses) {
  events.most = 1;
  RunEnd end = ask_server({answer("200 OK", kEvents)});
  EXPECT_EQ(end.kind, Kind::kTransportError);
  EXPECT_EQ(end.message, url + ": enough");
  EXPECT_EQ(events.all.size(), 1u);
}

using ThrottleTest = test::LoopTest;

TEST_F(ThrottleTest, SpacesTheStarts) {
  Throttle throttle(loop, 100);
  std::vector<Time> starts;
  auto one = [&]() -> Task<void> {
    co_await throttle.pass(CancelToken());
    starts.push_back(clock.now());
  };
  for (int i = 0; i < 5; ++i)
    loop.spawn(one());
  turn();
  ASSERT_EQ(starts.size(), 5u);
  EXPECT_GE(starts[4] - starts[0], ms(39));
}

TEST_F(ThrottleTest, APauseHoldsEveryoneAndTheSpacingAfterIt) {
  Throttle throttle(loop, 100);
  std::vector<Time> starts;
  auto one = [&]() -> Task<void> {
    co_await throttle.pass(CancelToken());
    starts.push_back(clock.now());
  };
  Time begin = clock.now();
  for (int i = 0; i < 4; ++i)
    loop.spawn(one());
  auto pause = [&]() -> Task<void> {
    throttle.pause_until(begin + ms(100));
    co_return;
  };
  loop.spawn(pause());  // while three of them wait
  turn();
  ASSERT_EQ(starts.size(), 4u);
  for (size_t i = 1; i < 4; ++i)
    EXPECT_GE(starts[i] - begin, ms(100));
  EXPECT_GE(starts[3] - begin, ms(119));
}

TEST_F(ThrottleTest, WaitsForNothingWithoutARateAndEndsWhenCancelled) {
  Throttle free(loop, 0);
  Time begin = clock.now();
  run(free.pass(CancelToken()));
  Throttle throttle(loop, 0.001);
  run(throttle.pass(CancelToken()));
  CancelToken token;
  Deadline deadline(loop, ms(10), token);
  run(throttle.pass(token));
  EXPECT_LT(clock.now() - begin, kLong);
}

}  // namespace
}  // namespace assay
