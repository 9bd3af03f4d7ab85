#include "support/run_fixture.h"

namespace assay {
namespace {

using test::kLong;
using test::ms;
using test::Peer;
using test::RawServer;

class CaseTest : public test::RunTest {};

TEST_F(CaseTest, GoesThroughItsStagesInOrder) {
  agent(R"({"steps":[{"tool":{"name":"look","args":{"n":1},"result":{"ok":true}}},{"text":"I see {{message}}"}]})");
  CaseResult result = run_one(R"(
name: all stages
tags: [smoke, two]
hooks:
  - cmd: ["sh", "-c", "echo hook >> order; echo '{\"WHO\": \"Ada\", \"N\": 1}'"]
  - cmd: ["sh", "-c", "echo \"$SAID\" >> order"]
    env: { SAID: "hook of ${WHO}" }
turns:
  - user: "for ${WHO}"
    assert:
      text: { must_match: "see" }
      tools: { require: [{ name: look, count: { exact: "${N}" } }] }
teardown:
  - cmd: ["sh", "-c", "echo teardown of ${WHO} >> order"]
assert:
  text: { must_match: "I" }
)");
  EXPECT_EQ(result.status, Status::kPassed) << result.error;
  EXPECT_EQ(file("order"), "hook\nhook of Ada\nteardown of Ada\n");
  EXPECT_EQ(result.id, "one");
  EXPECT_EQ(result.name, "all stages");
  EXPECT_EQ(result.file, "one.test.yaml");
  EXPECT_EQ(result.tags, (std::vector<std::string>{"smoke", "two"}));
  ASSERT_EQ(result.hooks.size(), 3u);
  EXPECT_FALSE(result.hooks[1].teardown);
  EXPECT_TRUE(result.hooks[2].teardown);
  EXPECT_EQ(result.hooks[2].command, "sh -c echo teardown of Ada >> order");
  ASSERT_EQ(result.transcript.turns.size(), 1u);
  const Turn& turn = result.transcript.turns[0];
  EXPECT_EQ(turn.input, "for Ada");
  EXPECT_EQ(turn.outcome, Outcome::kSuccess);
  EXPECT_EQ(turn.tool_calls.size(), 1u);
  EXPECT_EQ(result.checks.size(), 3u);
  EXPECT_EQ(result.messages_count, 4);
  EXPECT_GE(result.duration, turn.end - turn.start);
}

TEST_F(CaseTest, AHookMayFailInManyWays) {
  target(test::refusing_url());
  const std::pair<std::string, std::string> hooks[] = {
      {R"(["sh", "-c", "echo why >&2; exit 3"])", "exit code 3: why"},
      {R"(["no-such-program"])", "cannot start no-such-program: No such file or directory"},
      {R"(["echo", "plain"])", "stdout must be one JSON object: "},
      {R"(["echo", "[1]"])", "stdout must be one JSON object, not array: \"[1]\""},
      {R"(["sh", "-c", "kill -KILL $$"])", "ended by signal 9"},
      {R"(["sh", "-c", "echo late >&2; exec sleep 1000"]
    timeout_ms: 200)",
       "timeout after 200ms: late"},
  };
  for (size_t i = 0; i < std::size(hooks); ++i)
    test(fmt::format("t{}", i), fmt::format("name: t\nhooks:\n  - cmd: {}\nturns: [{{user: hi}}]\nteardown:\n"
                                            "  - cmd: [\"touch\", \"after{}\"]\n",
                                            hooks[i].first, i));
  options.parallel = 10;
  auto results = run();
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].status, Status::kError);
    EXPECT_TRUE(results[i].error.starts_with("Hook failed: ")) << results[i].error;
    EXPECT_NE(results[i].error.find(": " + hooks[i].second), std::string::npos) << results[i].error;
    EXPECT_TRUE(results[i].transcript.turns.empty());
    EXPECT_TRUE(std::filesystem::exists(dir / fmt::format("after{}", i))) << i;
    ASSERT_EQ(results[i].hooks.size(), 2u);
    EXPECT_TRUE(results[i].hooks[1].ok);
  }
}

TEST_F(CaseTest, AnUnknownVariableIsFoundWhenTheCaseStarts) {
  agent(R"({"steps":[{"text":"hi"}]})");
  test("hook", "name: h\nhooks:\n  - cmd: [\"true\", \"${NOBODY}\"]\nturns: [{user: hi}]\n");
  test("turn",
       "name: t\nhooks:\n  - cmd: [\"true\"]\nturns: [{user: \"${NOBODY}\"}]\nteardown:\n  - cmd: [\"touch\", \"after\"]\n");
  auto results = run();
  EXPECT_TRUE(results[0].error.starts_with("Hook failed: hook.test.yaml:3:")) << results[0].error;
  EXPECT_EQ(results[1].status, Status::kError);
  EXPECT_NE(results[1].error.find("NOBODY"), std::string::npos) << results[1].error;
  EXPECT_TRUE(std::filesystem::exists(dir / "after"));
}

TEST_F(CaseTest, AFailingTeardownIsReportedAndChangesNothing) {
  agent(R"({"steps":[{"text":"hi"}]})");
  CaseResult result = run_one(
      "name: t\nturns: [{user: hi}]\nteardown:\n  - cmd: [\"sh\", \"-c\", \"exit 9\"]\n  - cmd: [\"touch\", \"after\"]\n");
  EXPECT_EQ(result.status, Status::kPassed);
  ASSERT_EQ(result.hooks.size(), 2u);
  EXPECT_EQ(result.hooks[0].error, "exit code 9");
  EXPECT_TRUE(std::filesystem::exists(dir / "after"));
}

TEST_F(CaseTest, WhatAHookLeavesRunningEndsWithItsCase) {
  agent(R"({"steps":[{"text":"hi"}]})");
  CaseResult result = run_one(
      "name: t\nhooks:\n  - cmd: [\"sh\", \"-c\", \"sleep 1000 & echo $! > pid\"]\nturns: [{user: hi}]\n"
      "teardown:\n  - cmd: [\"sh\", \"-c\", \"kill -0 $(cat pid) && touch alive\"]\n");
  EXPECT_EQ(result.status, Status::kPassed) << result.error;
  EXPECT_TRUE(std::filesystem::exists(dir / "alive"));
  std::string stat = assay::testing::read_file("/proc/" + std::to_string(std::stoi(file("pid"))) + "/stat");
  EXPECT_TRUE(stat.empty() || stat.find(") Z ") != std::string::npos) << stat;
}

TEST_F(CaseTest, AFailedTurnEndsTheCase) {
  agent(R"({"steps":[{"text":"hi"}]})");
  CaseResult result = run_one(R"(
name: t
turns:
  - user: one
    assert: { text: { must_match: "Goodbye" } }
  - user: two
teardown:
  - cmd: ["touch", "after"]
)");
  EXPECT_EQ(result.status, Status::kFailed);
  EXPECT_TRUE(result.error.starts_with("[turn 1] ")) << result.error;
  EXPECT_EQ(result.transcript.turns.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(dir / "after"));
}

TEST_F(CaseTest, TurnsShareThreadHistoryAndState) {
  std::mutex mutex;
  std::vector<Json> bodies;
  RawServer raw([&](Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      std::lock_guard lock(mutex);
      bodies.push_back(*parse_json(request.substr(request.find("\r\n\r\n") + 4)));
      peer.answer("200 OK", fmt::format("data: {{\"type\":\"RUN_STARTED\"}}\n\n"
                                        "data: {{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m{}\",\"delta\":\"ok\"}}\n\n"
                                        "data: {{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{{\"n\":{}}}}}\n\n"
                                        "data: {{\"type\":\"RUN_FINISHED\"}}\n\n",
                                        bodies.size(), bodies.size()));
    }
  });
  target(raw.url(), "  state: { n: 0 }\n  forwardedProps: { a: 1 }\n  context: [{description: d, value: v}]\n");
  CaseResult result = run_one("name: t\nturns: [{user: one}, {user: [{type: text, text: two}]}]\n");
  EXPECT_EQ(result.status, Status::kPassed) << result.error;
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies[0]["threadId"], bodies[1]["threadId"]);
  EXPECT_NE(bodies[0]["runId"], bodies[1]["runId"]);
  EXPECT_EQ(bodies[0]["state"].dump(), R"({"n":0})");
  EXPECT_EQ(bodies[1]["state"].dump(), R"({"n":1})");
  EXPECT_EQ(bodies[1]["forwardedProps"].dump(), R"({"a":1})");
  EXPECT_EQ(bodies[1]["context"].dump(), R"([{"description":"d","value":"v"}])");
  ASSERT_EQ(bodies[1]["messages"].size(), 3u);
  EXPECT_EQ(bodies[1]["messages"][0], bodies[0]["messages"][0]);
  EXPECT_EQ(bodies[1]["messages"][2]["content"].dump(), R"([{"type":"text","text":"two"}])");
  EXPECT_EQ(result.transcript.turns[1].state->dump(), R"({"n":2})");
}

TEST_F(CaseTest, EveryOutcomeHasItsStatusAndMessage) {
  const std::tuple<std::string, Outcome, std::string> cases[] = {
      {R"({"steps":[{"fault":"no_finish"}]})", Outcome::kTruncated,
       "the stream ended without RUN_FINISHED or RUN_ERROR: http://"},
      {R"({"steps":[{"event":{"type":"RUN_ERROR","message":"boom"}}]})", Outcome::kRunError,
       "the agent reported RUN_ERROR: boom (http://"},
      {R"({"steps":[{"event":{"type":"RUN_FINISHED","outcome":{"type":"cancelled"}}}]})", Outcome::kCancelled,
       "the agent reported that the run was cancelled"},
      {R"({"steps":[{"fault":"html"}]})", Outcome::kEmpty, "no event came from http://"},
  };
  for (const auto& [rule, outcome, message] : cases) {
    files.clear();
    agent(rule);
    CaseResult result = run_one("name: t\nturns: [{user: hi}]\n");
    EXPECT_EQ(result.status, Status::kError) << rule;
    ASSERT_EQ(result.transcript.turns.size(), 1u);
    EXPECT_EQ(outcome_name(result.transcript.turns[0].outcome), outcome_name(outcome)) << rule;
    EXPECT_TRUE(result.error.starts_with("[turn 1] " + message)) << result.error;
  }
  files.clear();
  target(test::refusing_url());
  CaseResult result = run_one("name: t\nturns: [{user: hi}]\n");
  EXPECT_EQ(result.transcript.turns[0].outcome, Outcome::kTransportError);
  EXPECT_NE(result.error.find("Connection refused"), std::string::npos) << result.error;
}

TEST_F(CaseTest, WhatCameBeforeACutIsKept) {
  agent(R"({"steps":[{"text":"half of"},{"fault":"cut"}]})");
  CaseResult result = run_one("name: t\nturns: [{user: hi}]\n");
  EXPECT_EQ(result.status, Status::kError);
  EXPECT_EQ(result.transcript.turns[0].text(), "half of");
  EXPECT_NE(result.error.find("closed in the middle"), std::string::npos) << result.error;
}

TEST_F(CaseTest, TimeoutsOfCaseTurnAndRequest) {
  agent(R"({"steps":[{"text":"half"},{"fault":"stall"}]})");
  test("case", "name: c\ntimeout: 300ms\nturns: [{user: hi}]\nteardown:\n  - cmd: [\"touch\", \"after\"]\n");
  test("turn", "name: t\nturns: [{user: hi, timeout_ms: 300}]\n");
  options.parallel = 2;
  auto results = run();
  for (const auto& result : results) {
    EXPECT_EQ(result.status, Status::kTimeout) << result.error;
    EXPECT_EQ(result.transcript.turns[0].outcome, Outcome::kTimeout);
    EXPECT_EQ(result.transcript.turns[0].text(), "half");
    EXPECT_TRUE(result.error.find("timeout after 300ms") != std::string::npos) << result.error;
    EXPECT_NE(result.error.find("the stream had not ended"), std::string::npos) << result.error;
    EXPECT_GE(result.duration, ms(300));
    EXPECT_GE(result.transcript.turns[0].end - result.transcript.turns[0].start, ms(100));
    EXPECT_LT(result.duration, kLong);
  }
  EXPECT_TRUE(std::filesystem::exists(dir / "after"));
}

TEST_F(CaseTest, TheCasesTimeoutCutsAHook) {
  target(test::refusing_url());
  CaseResult result = run_one("name: c\ntimeout: 200ms\nhooks:\n  - cmd: [\"sleep\", \"1000\"]\nturns: [{user: hi}]\n");
  EXPECT_EQ(result.status, Status::kTimeout);
  EXPECT_EQ(result.error, "timeout after 200ms");
  EXPECT_TRUE(result.transcript.turns.empty());
}

TEST_F(CaseTest, AServerThatKeepsTheConnectionOpenAfterTheEndTimesOutWithAReason) {
  agent(R"({"steps":[{"event":{"type":"RUN_FINISHED","threadId":"t","runId":"r"}},{"fault":"stall"}]})");
  CaseResult result = run_one("name: t\nturns: [{user: hi, timeout_ms: 200}]\n");
  EXPECT_EQ(result.status, Status::kTimeout) << result.error;
  EXPECT_NE(result.error.find("the server keeps the connection open"), std::string::npos) << result.error;
}

TEST_F(CaseTest, DebugKeepsTheWireAndTheHooksStderr) {
  agent(R"({"steps":[{"text":"hi"}]})");
  options.debug = true;
  CaseResult result = run_one("name: t\nhooks:\n  - cmd: [\"sh\", \"-c\", \"echo words >&2\"]\nturns: [{user: hi}]\n");
  EXPECT_NE(result.log.find("words"), std::string::npos);
  EXPECT_NE(result.log.find("> POST http://"), std::string::npos);
}

}  // namespace
}  // namespace assay
