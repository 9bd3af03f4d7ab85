#include "serve/steps.h"

#include <gtest/gtest.h>

#include "support/serve_support.h"

namespace assay {
namespace {

using test::ask;
using test::events_of;
using test::run_input;
using test::serve_rule;

constexpr std::string_view kStarted = R"({"type":"RUN_STARTED","threadId":"t1","runId":"r1"})"
                                      "\n";

// The events behind RUN_STARTED.
std::string played(std::string_view steps, std::string_view more = "", std::string_view body = run_input("hi")) {
  auto server = serve_rule(R"({"steps":)" + std::string(steps) + std::string(more) + "}");
  std::string out = events_of(ask(*server, body));
  EXPECT_TRUE(out.starts_with(kStarted)) << out;
  return out.substr(kStarted.size());
}

std::string finished(std::string_view members = "") {
  return R"({"type":"RUN_FINISHED","threadId":"t1","runId":"r1")" + std::string(members) + "}\n";
}

TEST(ServeSteps, AnInterruptEndsTheRun) {
  EXPECT_EQ(played(R"([{"usage":[{"inputTokens":1}]},{"interrupt":{"id":"i-{{turn}}","reason":"confirmation","message":"Sure?",
                       "toolCallId":"c","responseSchema":{"type":"boolean"}}},{"text":"never"}])"),
            finished(R"(,"outcome":{"type":"interrupt","interrupts":[{"id":"i-1","reason":"confirmation","message":"Sure?",)"
                     R"("toolCallId":"c","responseSchema":{"type":"boolean"}}]},"usage":[{"inputTokens":1}])"));
  EXPECT_EQ(played(R"([{"interrupt":[{"id":"a","reason":"x"},{"id":"b","reason":"y"}]}])"),
            finished(R"(,"outcome":{"type":"interrupt","interrupts":[{"id":"a","reason":"x"},{"id":"b","reason":"y"}]})"));
  EXPECT_EQ(played(R"([{"outcome":"cancelled"},{"text":"never"}])"), finished(R"(,"outcome":{"type":"cancelled"})"));
}

TEST(ServeSteps, PendingCallsAreNamed) {
  std::string out = played(R"([{"tool":{"name":"a","id":"c1"}},{"tool":{"name":"b","id":"c2","result":1}},
                               {"tool":{"name":"c","id":"c3","form":"chunk"}}])",
                           R"(,"pending":true)");
  EXPECT_TRUE(out.ends_with(finished(R"(,"outcome":{"type":"success","pendingToolCallIds":["c1","c3"]})"))) << out;
  EXPECT_EQ(played("[]", R"(,"pending":true)"), finished(R"(,"outcome":{"type":"success","pendingToolCallIds":[]})"));
}

TEST(ServeSteps, ActivitiesAndSubagents) {
  EXPECT_EQ(played(R"([{"activity":{"type":"PLAN","content":{"n":1}}},
                       {"activity_delta":{"type":"PLAN","patch":[{"op":"replace","path":"/n","value":2}]}},
                       {"activity":{"id":"x","type":"PLAN","content":{},"replace":false}},
                       {"subagent":{"id":"s","name":"helper","parentToolCallId":"c"}},
                       {"text":"hi","subagentRunId":"s"},
                       {"tool":{"name":"n","id":"c","subagentRunId":"s","result_parts":[{"type":"text","text":"{{message}}"}]}},
                       {"subagent_end":"s"},{"subagent_end":{"id":"s","outcome":{"type":"success"}}},
                       {"subagent_error":{"id":"s","message":"no"}},
                       {"encrypted":{"subtype":"message","id":"m","value":"xyz"}}])"),
            R"({"type":"ACTIVITY_SNAPSHOT","activityType":"PLAN","content":{"n":1},"messageId":"activity-1-PLAN"}
{"type":"ACTIVITY_DELTA","activityType":"PLAN","patch":[{"op":"replace","path":"/n","value":2}],"messageId":"activity-1-PLAN"}
{"type":"ACTIVITY_SNAPSHOT","messageId":"x","activityType":"PLAN","content":{},"replace":false}
{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"helper","parentToolCallId":"c"}
{"type":"TEXT_MESSAGE_START","subagentRunId":"s","messageId":"m-1-0-4","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","subagentRunId":"s","messageId":"m-1-0-4","delta":"hi"}
{"type":"TEXT_MESSAGE_END","subagentRunId":"s","messageId":"m-1-0-4"}
{"type":"TOOL_CALL_START","subagentRunId":"s","toolCallId":"c","toolCallName":"n"}
{"type":"TOOL_CALL_ARGS","subagentRunId":"s","toolCallId":"c","delta":"{}"}
{"type":"TOOL_CALL_END","subagentRunId":"s","toolCallId":"c"}
{"type":"TOOL_CALL_RESULT","subagentRunId":"s","messageId":"t-1-0-5","toolCallId":"c","content":[{"type":"text","text":"hi"}],"role":"tool"}
{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}
{"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"success"}}
{"type":"SUBAGENT_ERROR","subagentRunId":"s","message":"no"}
{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"xyz"}
)" + finished());
}

TEST(ServeSteps, ReasoningAsChunksAndAsThinking) {
  EXPECT_EQ(played(R"([{"reasoning":"abc","form":"chunk","chunk":2},{"thinking":"hm"}])"),
            R"({"type":"REASONING_START","messageId":"z-1-0-0"}
{"type":"REASONING_MESSAGE_CHUNK","messageId":"z-1-0-0","delta":"ab"}
{"type":"REASONING_MESSAGE_CHUNK","messageId":"z-1-0-0","delta":"c"}
{"type":"REASONING_END","messageId":"z-1-0-0"}
{"type":"THINKING_START"}
{"type":"THINKING_TEXT_MESSAGE_START"}
{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"hm"}
{"type":"THINKING_TEXT_MESSAGE_END"}
{"type":"THINKING_END"}
)" + finished());
}

TEST(ServeSteps, ASnapshotHoldsTheConversation) {
  std::string user = R"({"id":"u1","role":"user","content":"hi"})";
  std::string first = R"({"id":"m-1-0-0","role":"assistant","content":"one"})";
  std::string call =
      R"({"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}]})";
  std::string result = R"({"id":"t-1-0-1","role":"tool","toolCallId":"c","content":"{\"ok\":true}"})";
  std::string last = R"({"id":"m-1-0-2","role":"assistant","content":"two"})";
  auto snapshot = [](std::vector<std::string> messages) {
    std::string list;
    for (const auto& message : messages)
      list += (list.empty() ? "" : ",") + message;
    return R"({"type":"MESSAGES_SNAPSHOT","messages":[)" + list + "]}\n";
  };
  EXPECT_EQ(played(R"([{"text":"one"},{"tool":{"name":"n","id":"c","form":"snapshot","result":{"ok":true},"delay_ms":1}},
                       {"text":"two","form":"snapshot"}])"),
            R"({"type":"TEXT_MESSAGE_START","messageId":"m-1-0-0","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1-0-0","delta":"one"}
{"type":"TEXT_MESSAGE_END","messageId":"m-1-0-0"}
)" + snapshot({user, first, call, result}) +
                snapshot({user, first, call, result, last}) + finished());
}

TEST(ServeSteps, TemplatesKnowResumeToolAndState) {
  Json body = Json::parse(run_input("hi"));
  body["resume"] = {{{"interruptId", "i"}, {"status", "resolved"}, {"payload", {{"ok", true}}}}};
  body["tools"] = {{{"name", "confirm"}}};
  body["state"] = {{"cart", {{"items", {{{"id", 7}}}}}}, {"who", "\"Ann\""}};
  EXPECT_EQ(
      played(R"([{"custom":{"name":"{{tool}}","value":"{{resume}} {{state.who}} {{state.cart.items.0.id}} {{state.none}}."}}])",
             "", to_compact(body)),
      R"({"type":"CUSTOM","name":"confirm","value":"{\"ok\":true} \"Ann\" 7 ."})"
      "\n" +
          finished());
  // A resumed run has ids of its own.
  EXPECT_NE(played(R"([{"text":"x"}])", "", to_compact(body)).find("\"messageId\":\"m-1-0-0-s0\""), std::string::npos);
}

}  // namespace
}  // namespace assay
