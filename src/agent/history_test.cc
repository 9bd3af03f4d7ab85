#include "agent/history.h"

#include "support/conversation.h"

namespace assay {
namespace {

using test::Conversation;
using test::kFinish;
using test::kStart;

constexpr std::string_view kText = R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","delta":"Sure. "})";
constexpr std::string_view kCall =
    R"({"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"confirm","parentMessageId":"m1","delta":"{\"q\":1}"})";

std::string ids(const Json& messages) {
  std::string out;
  for (const auto& message : messages)
    out += (out.empty() ? "" : " ") + message["id"].get<std::string>();
  return out;
}

TEST(History, IsWhatTheReferenceClientSends) {
  Conversation c;
  c.turn({
      kStart,
      kText,
      R"({"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"confirm","parentMessageId":"m1"})",
      R"({"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"q\""})",
      R"({"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":":1}"})",
      R"({"type":"TOOL_CALL_END","toolCallId":"c1"})",
      R"({"type":"REASONING_MESSAGE_START","messageId":"z1","role":"reasoning"})",
      R"({"type":"REASONING_MESSAGE_CONTENT","messageId":"z1","delta":"hm"})",
      R"({"type":"STATE_SNAPSHOT","snapshot":{"n":1}})",
      kFinish,
  });
  EXPECT_EQ(c.sent().dump(),
            R"([{"id":"u1","role":"user","content":"hi"},{"id":"m1","role":"assistant","content":"Sure. ","toolCalls":)"
            R"([{"id":"c1","type":"function","function":{"name":"confirm","arguments":"{\"q\":1}"}}]},)"
            R"({"id":"z1","role":"reasoning","content":"hm"}])");
  EXPECT_EQ(c.collector.state()->dump(), R"({"n":1})");
}

TEST(History, AResultStandsBehindItsCallAndTheResultsThere) {
  Conversation c;
  c.turn({
      kText,
      kCall,
      R"({"type":"TOOL_CALL_CHUNK","toolCallId":"c2","toolCallName":"other","parentMessageId":"m1"})",
      R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"m2","delta":"x"})",
      R"({"type":"TOOL_CALL_RESULT","messageId":"t2","toolCallId":"c2","content":"2"})",
      R"({"type":"TOOL_CALL_RESULT","messageId":"t1","toolCallId":"c1","content":"1"})",
      R"({"type":"TOOL_CALL_RESULT","messageId":"t9","toolCallId":"nobody","content":"9"})",
  });
  EXPECT_EQ(ids(c.sent()), "u1 m1 t2 t1 m2 t9");
  EXPECT_EQ(c.sent()[2].dump(), R"({"id":"t2","role":"tool","content":"2","toolCallId":"c2"})");
}

TEST(History, FindsTheOwnerOfACall) {
  Conversation c;
  c.turn({
      R"({"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"a"})",
      R"({"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"b","parentMessageId":"m2"})",
      R"({"type":"TOOL_CALL_START","toolCallId":"c3","toolCallName":"c","parentMessageId":"u1"})",
      R"({"type":"TEXT_MESSAGE_START","messageId":"m2","role":"assistant"})",
      R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"m2","delta":"text"})",
  });
  EXPECT_EQ(ids(c.sent()), "u1 c1 m2 c3");
  EXPECT_EQ(c.sent()[2]["content"], "text");
  EXPECT_FALSE(c.sent()[1].contains("content"));
}

TEST(History, ASnapshotReplacesAddsAndDrops) {
  Conversation c;
  c.turn({kText, R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"m2","delta":"gone"})",
          R"({"type":"REASONING_MESSAGE_CHUNK","messageId":"z1","delta":"hm"})",
          R"({"type":"MESSAGES_SNAPSHOT","messages":[{"id":"s1","role":"system","content":"be good"},
              {"id":"u1","role":"user","content":"hi!"},{"id":"m1","role":"assistant","content":"Sure!"},
              {"id":"a1","role":"activity","content":{}},{"id":"m3","role":"assistant","content":"more"}]})"});
  EXPECT_EQ(ids(c.sent()), "u1 m1 z1 s1 m3");
  EXPECT_EQ(c.sent()[0]["content"], "hi!");
  EXPECT_EQ(c.sent()[1]["content"], "Sure!");
  Turn& turn = c.turn({R"({"type":"MESSAGES_SNAPSHOT","messages":[{"id":"z9","role":"reasoning","content":"new"}]})"}, "u2");
  EXPECT_EQ(ids(c.sent()), "z9");
  EXPECT_EQ(turn.text(), "");
}

TEST(History, ASnapshotsNewMessagesCountBehindItsLastUserMessage) {
  Conversation c;
  c.turn({kText});
  Turn& turn = c.turn({R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"m2","delta":"draft"})",
                       R"({"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"assistant","content":"Sure?"},
                           {"id":"old","role":"assistant","content":"before","toolCalls":[{"id":"x","function":{"name":"no"}}]},
                           {"id":"u2","role":"user","content":"hi"},{"id":"m2","role":"assistant","content":"final"},
                           {"id":"m1","role":"assistant","content":"again"},
                           {"id":"m3","role":"assistant","content":[{"type":"text","text":"pa"},{"type":"text","text":"rts"}],
                            "toolCalls":[{"id":"c1","function":{"name":"do","arguments":"{\"a\":1}"}},
                                         {"id":"c1","function":{"name":"do"}},7,{"id":"c2","function":"odd"}]},
                           {"id":"t1","role":"tool","toolCallId":"c1","content":"7","error":"late"},
                           {"id":"t2","role":"tool","toolCallId":"c1","content":"8"},{"role":"tool"},"odd",{}]})",
                       R"({"type":"TOOL_CALL_ARGS","toolCallId":"c2","delta":"x"})",
                       R"({"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"renamed"})"},
                      "u2");
  EXPECT_EQ(turn.text(), "final\nparts");
  ASSERT_GE(turn.tool_calls.size(), 1u);
  EXPECT_EQ(turn.tool_calls[0].name, "do");
  EXPECT_EQ(turn.tool_calls[0].arguments.dump(), R"({"a":1})");
  EXPECT_EQ(*turn.tool_calls[0].result, 7);
  EXPECT_EQ(turn.tool_calls[0].error, "late");
  EXPECT_EQ(c.transcript.turns[0].text(), "Sure. ");
}

TEST(History, ASnapshotRepeatsCallsThatWereStreamed) {
  Conversation c;
  Turn& turn = c.turn({kStart, kText, kCall, R"({"type":"TOOL_CALL_RESULT","messageId":"t1","toolCallId":"c1","content":"1"})",
                       R"({"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u1","role":"user","content":"hi"},
                           {"id":"m1","role":"assistant","content":"Sure. ","toolCalls":[{"id":"c1","type":"function",
                            "function":{"name":"confirm","arguments":"{\"q\":1}"}}]},
                           {"id":"rekeyed","role":"tool","toolCallId":"c1","content":"1"}]})",
                       kFinish});
  ASSERT_EQ(turn.tool_calls.size(), 1u);
  EXPECT_EQ(turn.tool_calls[0].arguments.dump(), R"({"q":1})");
  EXPECT_EQ(turn.text(), "Sure. ");
  EXPECT_EQ(ids(c.sent()), "u1 m1 rekeyed");
}

TEST(History, AResultThatBorrowsAMessageIdDoesNotTakeItsText) {
  Conversation c;
  Turn& turn = c.turn({kText, kCall, R"({"type":"TOOL_CALL_RESULT","messageId":"m1","toolCallId":"c1","content":"1"})",
                       R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Done."})"});
  EXPECT_EQ(turn.text(), "Sure. Done.");
  EXPECT_EQ(c.sent()[1]["content"], "Sure. Done.");
  EXPECT_EQ(c.sent()[2]["content"], "1");
}

TEST(History, LastIsWhatFollowsTheLastAssistantMessage) {
  Conversation c;
  c.turn({kText});
  EXPECT_EQ(ids(c.collector.history().to_json(History::Extent::kLast)), "u1 m1");  // nobody has spoken since
  c.begin("again", "u2");
  EXPECT_EQ(ids(c.collector.history().to_json(History::Extent::kLast)), "u2");
  EXPECT_EQ(ids(c.sent()), "u1 m1 u2");
}

TEST(History, SendsContentPartsAsTheyAre) {
  Conversation c;
  c.collector.begin_turn(Json::array({{{"type", "text"}, {"text", "look"}}}), "u1", c.at);
  EXPECT_EQ(c.sent().dump(), R"([{"id":"u1","role":"user","content":[{"type":"text","text":"look"}]}])");
}

}  // namespace
}  // namespace assay
