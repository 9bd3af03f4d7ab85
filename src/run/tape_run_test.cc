// Cases recorded from a live agent and played again without it.
#include "report/reporters.h"
#include "support/run_fixture.h"

namespace assay {
namespace {

using assay::testing::write_file;

class TapeRun : public test::RunTest {
 protected:
  TapeRun() {
    options.secrets = &secrets;
    folder = {"rec", dir / "rec"};
    std::filesystem::create_directories(folder.absolute);
  }
  void rules(const std::string& list) {
    server = test::serve_rule(list);
    target(fmt::format("http://127.0.0.1:{}/agents/a", server->port()));
  }
  CaseResult record(const std::string& yaml) {
    options.record = folder;
    return run_one(yaml);
  }
  // The same test, the agent gone.
  CaseResult replay() {
    server.reset();
    options.record.reset();
    options.replay = folder;
    auto results = run();
    return results.empty() ? CaseResult() : std::move(results[0]);
  }
  std::string tape(const std::string& name) const { return folder.absolute + "/one.test.yaml/" + name; }
  // Everything but how long our own side took.
  static std::string shown(const CaseResult& result) {
    Json json = result_json(result, Redactor());
    json.erase("duration_ms");
    for (auto& hook : json.contains("hooks") ? json["hooks"] : Json::array())
      hook.erase("duration_ms");
    return json.dump(1);
  }
  void expect_same(const std::string& yaml) {
    CaseResult live = record(yaml);
    CaseResult first = replay();
    EXPECT_EQ(shown(first), shown(live));
    CaseResult second = replay();
    EXPECT_EQ(shown(second), shown(first));
  }

  TapeFolder folder;
};

TEST_F(TapeRun, AToolInTwoRounds) {
  rules(R"({"when": {"tool_result": "second"}, "steps": [{"text": "done"}]},
           {"when": {"tool_result": "first"}, "steps": [{"tool": {"name": "confirm", "args": {"n": 2}}}]},
           {"steps": [{"text": "One moment"}, {"tool": {"name": "confirm", "args": {"n": 1}}}]})");
  expect_same(R"(
name: two rounds
tools: [{name: confirm, sequence: [first, {x: second}], delay_ms: 5}]
hooks: [{cmd: [echo, '{"WHO": "me"}']}]
turns: [{user: "buy for ${WHO}", assert: {text: {must_match: done}, tools: {require: [{name: confirm, count: {exact: 2}}]}}}]
)");
}

TEST_F(TapeRun, AnInterruptResumed) {
  rules(R"({"when": {"resume": true}, "steps": [{"text": "resumed {{resume}}"}]},
           {"steps": [{"interrupt": {"id": "i1", "reason": "confirmation"}}]})");
  expect_same("name: x\nturns: [{user: go}, {resume: {ok: true}, assert: {text: {must_match: 'resumed .*ok'}}}]\n");
}

TEST_F(TapeRun, FailuresAndErrorsAreTheSame) {
  rules(R"({"steps": [{"text": "hello"}, {"raw": "data: [DONE]\n\n"}, {"error": "boom"}]})");
  expect_same("name: x\nturns: [{user: go}]\n");
}

TEST_F(TapeRun, AnEventThatUsesTheNamesOfTheTape) {
  rules(R"({"steps": [{"text": "hello"}, {"event": {"type": "CUSTOM", "name": "n", "value": 1, "_from": "client", "_ts": 5}}]})");
  expect_same("name: x\nturns: [{user: go, assert: {text: {must_match: hello}}}]\n");
}

TEST_F(TapeRun, AFailedHookFailsAgain) {
  rules(R"({"steps": [{"text": "hello"}]})");
  expect_same("name: x\nhooks: [{cmd: ['false']}]\nturns: [{user: go}]\n");
}

TEST_F(TapeRun, ABrokenTapeNamesFileAndLine) {
  rules(R"({"steps": [{"text": "hello"}]})");
  ASSERT_EQ(record("name: x\nturns: [{user: go}]\n").status, Status::kPassed);
  std::string text = assay::testing::read_file(tape("turn-0.jsonl"));
  write_file(tape("turn-0.jsonl"), text.substr(0, text.find('\n') + 1) + "nonsense\n" + text);
  EXPECT_EQ(replay().error, "[turn 1] tape rec/one.test.yaml/turn-0.jsonl:2: not an event of the agent");
  write_file(tape("turn-0.jsonl"), text.substr(0, text.find('\n') + 1));
  CaseResult early = replay();
  EXPECT_EQ(early.status, Status::kError);
  EXPECT_EQ(early.error, "[turn 1] tape rec/one.test.yaml/turn-0.jsonl:2: the tape ends early: record the test again");
  std::filesystem::remove(tape("turn-0.jsonl"));
  EXPECT_NE(replay().error.find("turn-0.jsonl: there is no such tape"), std::string::npos);
  write_file(tape("turn-0.jsonl"), text);
  write_file(tape("meta.json"), "{}");
  EXPECT_NE(replay().error.find("rec/one.test.yaml/meta.json:1: it is of another version"), std::string::npos);
}

TEST_F(TapeRun, ATapeOfAnotherTest) {
  rules(R"({"steps": [{"text": "hello"}]})");
  ASSERT_EQ(record("name: x\nturns: [{user: go}]\n").status, Status::kPassed);
  write_file(files[0].string(), "name: x\nturns: [{user: stop}]\n");
  CaseResult other = replay();
  EXPECT_EQ(other.status, Status::kError);
  EXPECT_NE(other.error.find("meta.json: turn 1 was recorded for another request"), std::string::npos);
  write_file(files[0].string(), "name: x\nturns: [{user: go}, {user: more}]\n");
  EXPECT_NE(replay().error.find("turn-1.jsonl: there is no such tape"), std::string::npos);
}

TEST_F(TapeRun, TapesOfAnankeReplay) {
  target("http://127.0.0.1:1/");
  test("one",
       "name: x\nhooks: [{cmd: ['false']}]\nturns: [{user: 'go ${ID}', assert: {tools: {require: [{name: get, result: {temp: "
       "21}}]}, "
       "text: {must_match: hello}, timing: {max_duration_ms: 500}}}]\n");
  std::filesystem::create_directories(folder.absolute + "/one.test.yaml");
  write_file(tape("hook-0.json"), R"({"ID":"7"})");
  write_file(tape("turn-0.jsonl"), R"({"type":"RUN_STARTED","threadId":"t","runId":"r","_ts":1700000000000}
{"_ts":1700000000100,"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"get"}
{"type":"TOOL_CALL_END","toolCallId":"c","_ts":1700000000150}
{"type":"TOOL_CALL_RESULT","toolCallId":"c","result":"{\"temp\":21}","_ts":1700000000200}
{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"hello","_ts":1700000000300}

{"type":"RUN_FINISHED","threadId":"t","runId":"r","_ts":1700000000400}

)");
  CaseResult result = replay();
  EXPECT_EQ(result.status, Status::kPassed) << result.error;
  const Turn& turn = result.transcript.turns.at(0);
  EXPECT_EQ(unix_ms(turn.end) - unix_ms(turn.start), 400);
  ASSERT_EQ(turn.violations.size(), 2u);  // no messageId, result instead of content
  EXPECT_EQ(turn.violations[0].rule, "schema");
}

TEST_F(TapeRun, AnInterruptedRecordingLeavesNothing) {
  rules(R"({"steps": [{"text": "hello"}, {"fault": "stall"}]})");
  CaseResult cut = record("name: x\ntimeout: 300ms\nturns: [{user: go}]\n");
  EXPECT_EQ(cut.status, Status::kTimeout);
  EXPECT_EQ(replay().status, Status::kTimeout);  // a timeout is a result like another
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.absolute))
    EXPECT_NE(entry.path().extension(), ".tmp");
}

}  // namespace
}  // namespace assay
