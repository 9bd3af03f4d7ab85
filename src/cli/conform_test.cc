#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "support/cli.h"
#include "support/raw_server.h"
#include "support/serve_support.h"

namespace assay {
namespace {

using testing::Cli;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

constexpr std::string_view kGood =
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"
    "data: {\"type\":\"TOOL_CALL_CHUNK\",\"toolCallId\":\"c\",\"toolCallName\":\"pay\",\"delta\":\"{\\\"total\\\":2}\"}\n\n"
    "data: {\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"r1\",\"toolCallId\":\"c\",\"content\":\"{\\\"ok\\\":true}\"}\n\n"
    "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"Paid.\"}\n\n"
    "data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{\"paid\":true}}\n\n"
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
constexpr std::string_view kBad =
    "{\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n"
    "{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\\u001b\",\"delta\":\"\\u001b[31mred\"}\n"
    "{\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\",\"extra\":1}\n";

TEST(ConformFile, TellsWhatAStreamHolds) {
  Cli cli;
  cli.file("a.sse", kGood);
  EXPECT_EQ(cli.run({"conform", "a.sse"}), 0) << cli.err();
  EXPECT_EQ(cli.out(),
            "PASS a.sse: 6 events, success\n"
            "  call: pay {\"total\":2} → {\"ok\":true}\n"
            "  text: Paid.\n"
            "  state: {\"paid\":true}\n"
            "\nno rule was broken\n");
  EXPECT_EQ(cli.run({"conform", "--json", "a.sse"}), 0);
  EXPECT_EQ(cli.out(),
            R"({"events":6,"outcome":"success","text":"Paid.","tool_calls":[{"id":"c","name":"pay","arguments":{"total":2},)"
            R"("result":{"ok":true}}],"state":{"paid":true},"violations":[]})"
            "\n");
}

TEST(ConformFile, TellsWhatIsWrongAndIsSafeForTerminals) {
  Cli cli;
  cli.file("b.jsonl", kBad);
  EXPECT_EQ(cli.run({"conform", "b.jsonl"}), 1);
  EXPECT_TRUE(has(cli.out(), "FAIL b.jsonl: 3 events, success\n  text: \\x1b[31mred\n")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "  error text-content-unopened at event 1: ")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "  warning unknown-field at event 2: ")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "rules broken:\n    1  error    text-content-unopened    TEXT_MESSAGE_CONTENT for a message"))
      << cli.out();
  EXPECT_FALSE(has(cli.out(), "\x1b"));
  EXPECT_EQ(cli.run({"conform", "b.jsonl", "--json"}), 1);
  Json first = cli.json()["violations"][0];
  EXPECT_EQ(first["rule"], Json("text-content-unopened"));
  EXPECT_EQ(first["severity"], Json("error"));
  EXPECT_EQ(first["event"], Json(1));
  EXPECT_EQ(first.size(), 4u);
}

TEST(ConformFile, TheFormIsTakenFromTheNameUnlessItIsSaid) {
  Cli cli;
  cli.file("b.log", kBad);
  EXPECT_EQ(cli.run({"conform", "b.log"}), 1);
  EXPECT_TRUE(has(cli.out(), "0 events, empty")) << cli.out();
  EXPECT_EQ(cli.run({"conform", "b.log", "--format", "jsonl"}), 1);
  EXPECT_TRUE(has(cli.out(), "3 events, success")) << cli.out();
  EXPECT_EQ(cli.run({"conform", "b.log", "--format", "xml"}), 2);
  EXPECT_EQ(cli.err(), "error: --format: \"xml\" is not sse or jsonl\n");
}

TEST(ConformFile, WarningsDoNotFail) {
  Cli cli;
  cli.file("w.sse", std::string(kGood.substr(0, kGood.size() - 1)));
  EXPECT_EQ(cli.run({"conform", "w.sse"}), 0);
  EXPECT_TRUE(cli.out().starts_with("WARN w.sse: 6 events, success\n")) << cli.out();
}

TEST(ConformFile, StandardInput) {
  Cli cli;
  int pipe[2];
  ASSERT_EQ(pipe2(pipe, O_CLOEXEC), 0);
  ASSERT_EQ(::write(pipe[1], kGood.data(), kGood.size()), static_cast<ssize_t>(kGood.size()));
  cli.input_fd = pipe[0];
  cli.interrupt(SIGINT);  // somebody is tired of waiting for more
  EXPECT_EQ(cli.run({"conform", "-"}), 130);
  ::close(pipe[1]);
  EXPECT_EQ(cli.run({"conform", "-"}), 0) << cli.err();
  EXPECT_TRUE(cli.out().starts_with("PASS standard input: 6 events, success\n")) << cli.out();
  ::close(pipe[0]);
}

TEST(ConformFile, WhatCannotBeRead) {
  Cli cli;
  EXPECT_EQ(cli.run({"conform", "localhost:8000/agent"}), 2);
  EXPECT_EQ(cli.err(),
            "error: cannot read localhost:8000/agent: No such file or directory\n"
            "  hint: a URL begins with http:// or https://\n");
  EXPECT_EQ(cli.run({"conform", ".", "--json"}), 2);
  EXPECT_TRUE(has(cli.json()["error"].get<std::string>(), "cannot read .: Is a directory")) << cli.out();
  EXPECT_EQ(cli.run({"conform", "-"}), 2);
  EXPECT_EQ(cli.run({"conform"}), 2);
  EXPECT_EQ(cli.run({"conform", "a", "b"}), 2);
}

TEST(Conform, Rules) {
  Cli cli;
  EXPECT_EQ(cli.run({"conform", "--rules"}), 0);
  EXPECT_TRUE(has(cli.out(), "error    first-event              the first event is neither RUN_STARTED nor RUN_ERROR (R3)\n"))
      << cli.out();
  EXPECT_EQ(cli.run({"conform", "--rules", "--json"}), 0);
  EXPECT_EQ(cli.json()[0]["rule"], Json("not-json"));
}

std::string url_of(int port) { return "http://127.0.0.1:" + std::to_string(port) + "/agents/a"; }

TEST(ConformUrl, AGoodAgent) {
  auto server = test::serve_rule(R"({"steps":[{"text":"You said {{message}}"}]})");
  Cli cli;
  EXPECT_EQ(cli.run({"conform", url_of(server->port()), "--message", "ping"}), 0) << cli.out() << cli.err();
  for (const char* line : {"PASS plain turn: success, 5 events (", "PASS second turn: ", "PASS result of an unknown tool call: ",
                           "PASS empty message: ", "PASS 4 threads in parallel: success, 20 events ("})
    EXPECT_TRUE(has(cli.out(), line)) << cli.out();
  EXPECT_TRUE(cli.out().ends_with("\nno rule was broken\n5 probes: 5 passed, 0 with warnings, 0 failed\n")) << cli.out();
  EXPECT_EQ(cli.err(), "");
}

TEST(ConformUrl, WhatIsBrokenIsListed) {
  auto server = test::serve(R"({"agents":{"a":{"rules":[
      {"when":{"message":"^$"},"steps":[{"error":"nothing \u001b[31m was said"}]},
      {"when":{"turn":2},"http":{"status":500,"body":"oops"}},
      {"steps":[{"event":{"type":"TEXT_MESSAGE_END","messageId":"m"}}]}]}}})");
  Cli cli;
  EXPECT_EQ(cli.run({"conform", url_of(server->port())}), 1);
  EXPECT_TRUE(has(cli.out(), "FAIL plain turn: success, 3 events (")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "  error text-end-unopened at event 1: ")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "FAIL second turn: http_error, 0 events (")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "HTTP 500: the body begins with \"oops\"")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "  refused: the agent reported RUN_ERROR: nothing \\x1b[31m was said\n")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "  error text-end-unopened at event 1: answer 4: ")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "    5  error    text-end-unopened        TEXT_MESSAGE_END for")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "5 probes: 0 passed, 1 with warnings, 4 failed")) << cli.out();
  EXPECT_FALSE(has(cli.out(), "\x1b"));
  EXPECT_EQ(cli.run({"conform", url_of(server->port()), "--json"}), 1);
  Json json = cli.json();
  EXPECT_EQ(json["passed"], Json(false));
  ASSERT_EQ(json["probes"].size(), 5u);
  EXPECT_EQ(json["probes"][0]["verdict"], Json("fail"));
  EXPECT_EQ(json["probes"][0]["violations"][0]["rule"], Json("text-end-unopened"));
  EXPECT_EQ(json["probes"][3]["verdict"], Json("warn"));
  EXPECT_EQ(json["rules"][0], Json({{"rule", "text-end-unopened"}, {"severity", "error"}, {"count", 5}}));
}

// Answers each request under its own ids, and says whatever anybody said before.
TEST(ConformUrl, ThreadsThatAreMixedUp) {
  std::mutex mutex;
  std::string everything;
  test::RawServer server([&](test::Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty(); request = peer.read_request()) {
      auto input = parse_json(request.substr(request.find("\r\n\r\n") + 4));
      std::lock_guard lock(mutex);
      everything += input->at("messages").back()["content"].get<std::string>() + " ";
      Json ids = {{"threadId", (*input)["threadId"]}, {"runId", (*input)["runId"]}};
      std::string body;
      auto send = [&](Json event, const Json& more) {
        event.update(more);
        body += "data: " + to_compact(event) + "\n\n";
      };
      send({{"type", "RUN_STARTED"}}, ids);
      for (const auto& word : split(everything, '-'))  // cut where a nonce has its dashes
        send({{"type", "TEXT_MESSAGE_CHUNK"}, {"messageId", "m"}, {"delta", word + "-"}}, Json::object());
      send({{"type", "RUN_FINISHED"}}, ids);
      peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body);
    }
  });
  Cli cli;
  EXPECT_EQ(cli.run({"conform", url_of(server.port())}), 1);
  EXPECT_TRUE(has(cli.out(), "PASS plain turn")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "FAIL 4 threads in parallel: success, ")) << cli.out();
  EXPECT_TRUE(has(cli.out(), ": it holds the nonce of question ")) << cli.out();
}

TEST(ConformUrl, HeadersAreSentAndNotShown) {
  std::mutex mutex;
  std::string seen;
  test::RawServer server([&](test::Peer& peer) {
    std::lock_guard lock(mutex);
    seen += peer.read_request();
    peer.send("HTTP/1.1 403 No\r\nContent-Length: 23\r\n\r\nno such: s3cret-token-1");
  });
  Cli cli;
  EXPECT_EQ(cli.run({"conform", url_of(server.port()), "--header", "Authorization: Bearer s3cret-token-1", "--header", "X-A:b"}),
            1);
  EXPECT_TRUE(has(seen, "Authorization: Bearer s3cret-token-1\r\n")) << seen;
  EXPECT_TRUE(has(seen, "X-A: b\r\n")) << seen;
  EXPECT_FALSE(has(cli.out(), "s3cret-token-1")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "the other probes were left out: there is no stream to judge\n")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "1 probe: 0 passed, 0 with warnings, 1 failed")) << cli.out();
}

TEST(ConformUrl, TimeoutsAndInterrupts) {
  auto server = test::serve_rule(R"({"steps":[{"text":"Hel"},{"fault":"stall"}]})");
  Cli cli;
  EXPECT_EQ(cli.run({"conform", url_of(server->port()), "--timeout", "100ms"}), 1);
  EXPECT_TRUE(has(cli.out(), "FAIL plain turn: timeout, 4 events")) << cli.out();
  cli.interrupt(SIGTERM);
  EXPECT_EQ(cli.run({"conform", url_of(server->port())}), 143);
}

TEST(ConformUrl, NobodyAnswers) {
  test::RawServer server([](test::Peer& peer) { peer.read_request(); });
  Cli cli;
  EXPECT_EQ(cli.run({"conform", url_of(server.port())}), 3);
  EXPECT_TRUE(cli.err().starts_with("error: nothing could be judged: http://127.0.0.1:")) << cli.err();
  EXPECT_EQ(cli.out(), "");
}

TEST(ConformUrl, WrongFlags) {
  Cli cli;
  for (auto [args, message] : std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{"http:///x"}, "\"http:///x\" is no URL"},
           {{"http://h/x", "--format", "sse"}, "--format goes with a file"},
           {{"x.sse", "--header", "A: b"}, "--header goes with a URL"},
           {{"http://h/x", "--header", "secret"}, "--header: it is not \"Name: value\""},
           {{"http://h/x", "--timeout", "5"}, "--timeout: \"5\" is not a duration"}}) {
    std::vector<std::string> all = args;
    all.insert(all.begin(), "conform");
    EXPECT_EQ(cli.run(all), 2);
    EXPECT_TRUE(has(cli.err(), message)) << cli.err();
  }
}

}  // namespace
}  // namespace assay
