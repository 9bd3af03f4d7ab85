#include "agent/collector.h"

#include "support/conversation.h"

namespace assay {
namespace {

using test::Conversation;
using test::kFinish;
using test::kStart;

// What a turn has recorded, times left out.
Json record(const Turn& turn) {
  Json out = {{"text", turn.text()}, {"calls", Json::array()}};
  for (const auto& call : turn.tool_calls)
    out["calls"].push_back({{"id", call.id},
                            {"name", call.name},
                            {"args", call.arguments},
                            {"result", call.result ? *call.result : Json("none")},
                            {"ended", call.end != kNoTime}});
  return out;
}

const Json kWeather = *parse_json(
    R"({"text":"It is\n21°","calls":[{"id":"c1","name":"get","args":{"city":"Paris"},"result":{"temp":21},"ended":true}]})");

TEST(Collector, ExplicitChunkAndSnapshotFormsRecordTheSame) {
  Conversation spoken;
  EXPECT_EQ(record(spoken.turn({
                kStart,
                R"({"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"})",
                R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"It "})",
                R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"is"})",
                R"({"type":"TEXT_MESSAGE_END","messageId":"m1"})",
                R"({"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"get","parentMessageId":"m1"})",
                R"({"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"ci"})",
                R"({"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"ty\":\"Paris\"}"})",
                R"({"type":"TOOL_CALL_END","toolCallId":"c1"})",
                R"({"type":"TOOL_CALL_RESULT","messageId":"t1","toolCallId":"c1","content":"{\"temp\":21}"})",
                R"({"type":"TEXT_MESSAGE_START","messageId":"m2"})",
                R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"m2","delta":"21°"})",
                R"({"type":"TEXT_MESSAGE_END","messageId":"m2"})",
                kFinish,
            })),
            kWeather);
  Conversation chunked;
  EXPECT_EQ(record(chunked.turn({
                kStart,
                R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","role":"assistant","delta":"It "})",
                R"({"type":"TEXT_MESSAGE_CHUNK","delta":"is"})",
                R"({"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"get","parentMessageId":"m1","delta":"{\"ci"})",
                R"({"type":"TOOL_CALL_CHUNK","delta":"ty\":\"Paris\"}"})",
                R"({"type":"TOOL_CALL_RESULT","messageId":"t1","toolCallId":"c1","content":"{\"temp\":21}"})",
                R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"m2","delta":"21°"})",
                kFinish,
            })),
            kWeather);
  Conversation snapshot;
  EXPECT_EQ(record(snapshot.turn({
                kStart,
                R"({"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u1","role":"user","content":"hi"},
                    {"id":"m1","role":"assistant","content":"It is","toolCalls":[{"id":"c1","type":"function",
                     "function":{"name":"get","arguments":"{\"city\":\"Paris\"}"}}]},
                    {"id":"t1","role":"tool","toolCallId":"c1","content":"{\"temp\":21}"},
                    {"id":"m2","role":"assistant","content":"21°"}]})",
                kFinish,
            })),
            kWeather);
  EXPECT_EQ(spoken.sent(), chunked.sent());
  EXPECT_TRUE(json_equal(spoken.sent(), snapshot.sent())) << spoken.sent() << snapshot.sent();
}

TEST(Collector, TimesAreThoseOfTheEvents) {
  Conversation c;
  Turn& turn = c.turn({
      kStart,                                                               // 1
      R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":""})",      // 2
      R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"})",     // 3
      R"({"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n"})",  // 4
      R"({"type":"TOOL_CALL_END","toolCallId":"c"})",                       // 5
      R"({"type":"TOOL_CALL_RESULT","toolCallId":"c","content":""})",       // 6
      kFinish,
  });
  auto after = [&](Time t) { return (t - turn.start) / std::chrono::milliseconds(1); };
  EXPECT_EQ(after(turn.first_text), 3);
  EXPECT_EQ(after(turn.tool_calls[0].start), 4);
  EXPECT_EQ(after(turn.tool_calls[0].end), 5);
  EXPECT_EQ(after(turn.tool_calls[0].result_at), 6);
  EXPECT_EQ(after(turn.end), 7);
  EXPECT_EQ(turn.events, 7);
  EXPECT_EQ(c.collector.last_event(), turn.end);
}

TEST(Collector, TextOfOtherRolesIsNotTheAssistants) {
  Conversation c;
  Turn& turn = c.turn({
      kStart,
      R"({"type":"TEXT_MESSAGE_START","messageId":"d","role":"developer","name":"boss"})",
      R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"d","delta":"secret"})",
      R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"u2","role":"user","delta":"he said "})",
      R"({"type":"TEXT_MESSAGE_CHUNK","delta":"this"})",
      R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"a","delta":"answer"})",
      kFinish,
  });
  EXPECT_EQ(turn.text(), "answer");
  EXPECT_EQ(c.sent()[1].dump(), R"({"id":"d","role":"developer","content":"secret","name":"boss"})");
  EXPECT_EQ(c.sent()[2].dump(), R"({"id":"u2","role":"user","content":"he said this"})");
}

TEST(Collector, ChunksWithoutAnyIdAreStillRead) {
  Conversation c;
  Turn& turn = c.turn({
      R"({"type":"TEXT_MESSAGE_CHUNK","delta":"a"})",
      R"({"type":"TEXT_MESSAGE_CHUNK","delta":"b"})",
      R"({"type":"TOOL_CALL_CHUNK","toolCallName":"n","delta":"{}"})",
  });
  EXPECT_EQ(turn.text(), "ab");
  ASSERT_EQ(turn.tool_calls.size(), 1u);
  EXPECT_EQ(turn.tool_calls[0].name, "n");
}

TEST(Collector, ArgumentsThatAreNotJsonAreKeptAsText) {
  Conversation c;
  Turn& turn = c.turn({
      R"({"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"a"})",
      R"({"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{oops"})",
      R"({"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"b"})",
      R"({"type":"TOOL_CALL_END","toolCallId":"c2"})",
      R"({"type":"TOOL_CALL_ARGS","toolCallId":"c3","delta":"[1]"})",
  });
  ASSERT_EQ(turn.tool_calls.size(), 3u);
  EXPECT_EQ(turn.tool_calls[0].arguments_text, "{oops");
  EXPECT_TRUE(turn.tool_calls[0].arguments.is_null());
  EXPECT_EQ(turn.tool_calls[1].arguments, Json::object());
  EXPECT_FALSE(turn.tool_calls[1].arguments_text);
  EXPECT_EQ(turn.tool_calls[2].arguments.dump(), "[1]");
}

TEST(Collector, ReadsResultsInEveryForm) {
  const std::pair<std::string_view, std::string_view> forms[] = {
      {R"("content":"{\"a\":1}")", R"({"a":1})"},
      {R"("content":"plain text")", R"("plain text")"},
      {R"("content":"7")", "7"},
      {R"("content":"")", R"("")"},
      {R"("content":{"a":1})", R"({"a":1})"},
      {R"("content":[{"type":"text","text":"{\"a\""},{"type":"image","source":{}},{"type":"text","text":":1}"}])", R"({"a":1})"},
      {R"("result":{"a":1})", R"({"a":1})"},
      {R"("result":"x","content":"y")", R"("y")"},
  };
  for (const auto& [field, expected] : forms) {
    Conversation c;
    std::string event = R"({"type":"TOOL_CALL_RESULT","message_id":"t","tool_call_id":"c",)" + std::string(field) + "}";
    Turn& turn = c.turn({R"({"type":"TOOL_CALL_START","tool_call_id":"c","tool_call_name":"n"})", event});
    ASSERT_TRUE(turn.tool_calls[0].result) << field;
    EXPECT_EQ(to_compact(*turn.tool_calls[0].result), expected) << field;
    EXPECT_EQ(turn.tool_calls[0].result_parts.is_array(), field.find("[{") != std::string_view::npos) << field;
  }
}

TEST(Collector, ResultsCountOnceAndUnknownOnesAreNoCalls) {
  Conversation c;
  Turn& turn = c.turn({
      R"({"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n"})",
      R"({"type":"TOOL_CALL_RESULT","messageId":"t","toolCallId":"c","content":"first"})",
      R"({"type":"TOOL_CALL_RESULT","messageId":"t2","toolCallId":"c","content":"second"})",
      R"({"type":"TOOL_CALL_RESULT","messageId":"t3","toolCallId":"nobody","content":"x"})",
      R"({"type":"TOOL_CALL_RESULT","toolCallId":"c"})",
  });
  ASSERT_EQ(turn.tool_calls.size(), 1u);
  EXPECT_EQ(*turn.tool_calls[0].result, "first");
}

TEST(Collector, ALateResultGoesToTheCallOfTheEarlierTurn) {
  Conversation c;
  c.turn({kStart, R"({"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n"})", kFinish});
  EXPECT_FALSE(c.transcript.turns[0].tool_calls[0].result);
  c.turn({kStart, R"({"type":"TOOL_CALL_RESULT","messageId":"t","toolCallId":"c","content":"late"})",
          R"({"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"x"})", kFinish},
         "u2");
  EXPECT_EQ(*c.transcript.turns[0].tool_calls[0].result, "late");
  EXPECT_EQ(c.transcript.turns[0].tool_calls[0].arguments, Json::object());
  EXPECT_TRUE(c.transcript.turns[1].tool_calls.empty());
}

TEST(Collector, ACallThatUsesAnEarlierTurnsIdIsAnotherCall) {
  for (std::string_view event : {R"({"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"pay"})",
                                 R"({"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"pay"})"}) {
    Conversation c;
    c.turn({event, R"({"type":"TOOL_CALL_RESULT","messageId":"t","toolCallId":"c","content":"1"})"});
    c.turn({event, R"({"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"again\":true}"})",
            R"({"type":"TOOL_CALL_RESULT","messageId":"t2","toolCallId":"c","content":"2"})"},
           "u2");
    ASSERT_EQ(c.transcript.turns[1].tool_calls.size(), 1u);
    EXPECT_EQ(c.transcript.turns[1].tool_calls[0].arguments.dump(), R"({"again":true})");
    EXPECT_EQ(*c.transcript.turns[1].tool_calls[0].result, 2);
    EXPECT_EQ(*c.transcript.turns[0].tool_calls[0].result, 1);
  }
}

TEST(Collector, StartIsIdempotentAndRenames) {
  Conversation c;
  Turn& turn = c.turn({
      R"({"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"a"})",
      R"({"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"b"})",
      R"({"type":"TOOL_CALL_START","toolCallId":"c"})",
  });
  ASSERT_EQ(turn.tool_calls.size(), 1u);
  EXPECT_EQ(turn.tool_calls[0].name, "b");
  EXPECT_EQ(c.sent()[1]["toolCalls"][0]["function"]["name"], "b");
}

TEST(Collector, ReasoningStepsAndCustomEventsAreNotText) {
  Conversation c;
  Turn& turn = c.turn({
      kStart,
      R"({"type":"REASONING_START","messageId":"r0"})",
      R"({"type":"REASONING_MESSAGE_START","messageId":"r1","role":"reasoning"})",
      R"({"type":"REASONING_MESSAGE_CONTENT","messageId":"r1","delta":"let "})",
      R"({"type":"REASONING_MESSAGE_CONTENT","messageId":"r1","delta":"me"})",
      R"({"type":"REASONING_MESSAGE_CHUNK","messageId":"r2","delta":"see"})",
      R"({"type":"REASONING_MESSAGE_CHUNK","delta":" this"})",
      R"({"type":"STEP_STARTED","stepName":"plan"})",
      R"({"type":"STEP_STARTED","step_name":"act"})",
      R"({"type":"CUSTOM","name":"n","value":{"x":[1]}})",
      R"({"type":"CUSTOM","name":"bare"})",
      R"({"type":"RAW","event":{"delta":"no"}})",
      R"({"type":"SOMETHING_NEW","delta":"no"})",
      kFinish,
  });
  EXPECT_EQ(turn.text(), "");
  EXPECT_EQ(turn.reasoning, (std::vector<std::string>{"let me", "see this"}));
  EXPECT_EQ(turn.steps, (std::vector<std::string>{"plan", "act"}));
  ASSERT_EQ(turn.custom.size(), 2u);
  EXPECT_EQ(turn.custom[0].dump(), R"({"name":"n","value":{"x":[1]}})");
  EXPECT_EQ(turn.custom[1].dump(), R"({"name":"bare","value":null})");
  EXPECT_EQ(turn.events, 14);
}

TEST(Collector, ThinkingIsReasoning) {
  Conversation c;
  Turn& turn = c.turn({R"({"type":"THINKING_START"})", R"({"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"a"})",
                       R"({"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"b"})"});
  EXPECT_EQ(turn.reasoning, std::vector<std::string>{"ab"});
  EXPECT_EQ(c.sent().size(), 2u);
}

TEST(Collector, StateFollowsSnapshotsAndDeltas) {
  Conversation c;
  EXPECT_FALSE(c.turn({kStart, kFinish}).state);
  EXPECT_EQ(c.turn({R"({"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1}]})"}, "u2").state->dump(), R"({"n":1})");
  EXPECT_EQ(c.turn({R"({"type":"STATE_SNAPSHOT","snapshot":{"b":[1],"a":2}})",
                    R"({"type":"STATE_DELTA","delta":[{"op":"add","path":"/b/-","value":2},{"op":"what","path":"/x"}]})"},
                   "u3")
                .state->dump(),
            R"({"b":[1,2],"a":2})");
  // All of a patch or nothing.
  EXPECT_EQ(
      c.turn({R"({"type":"STATE_DELTA","delta":[{"op":"replace","path":"/a","value":9},{"op":"remove","path":"/no"}]})",
              R"({"type":"STATE_DELTA","delta":[{"op":"add","path":"/a/x","value":9}]})", R"({"type":"STATE_DELTA","delta":7})"},
             "u4")
          .state->dump(),
      R"({"b":[1,2],"a":2})");
  EXPECT_EQ(c.turn({R"({"type":"STATE_SNAPSHOT","snapshot":null})"}, "u5").state->dump(), "null");
  Conversation known;
  known.collector.set_state({{"n", 1}});
  EXPECT_EQ(known.turn({kStart}).state->dump(), R"({"n":1})");
}

TEST(Collector, UsageIsSummed) {
  Conversation c;
  Turn& turn = c.turn({
      kStart,
      R"({"type":"RUN_FINISHED","usage":[{"inputTokens":1,"outputTokens":2,"totalTokens":30},{"inputTokens":10,"outputTokens":20}]})",
      kStart,
      R"({"type":"RUN_ERROR","message":"x","usage":[{"inputTokens":100},"odd",{"inputTokens":"many","outputTokens":-5}]})",
  });
  ASSERT_TRUE(turn.usage);
  EXPECT_EQ(turn.usage->input_tokens, 111);
  EXPECT_EQ(turn.usage->total_tokens, 160);
  Conversation none;
  EXPECT_FALSE(none.turn({kStart, R"({"type":"RUN_FINISHED","usage":[]})"}).usage);
}

TEST(Collector, UsageBeyondAllMeasureIsNoCount) {
  Conversation c;
  Turn& turn = c.turn({R"({"type":"RUN_FINISHED","usage":[{"inputTokens":9223372036854775807},{"inputTokens":1e300},
      {"inputTokens":18446744073709551615},{"inputTokens":5}]})"});
  EXPECT_EQ(turn.usage->input_tokens, 5);
}

TEST(Collector, TheLastRunOfAStreamDecides) {
  const std::string_view error = R"({"type":"RUN_ERROR","message":"broken","code":"E1"})";
  const std::string_view interrupt =
      R"({"type":"RUN_FINISHED","outcome":{"type":"interrupt","interrupts":[{"id":"i1","reason":"tool_call"}]}})";
  const std::string_view cancelled = R"({"type":"RUN_FINISHED","outcome":{"type":"cancelled"}})";
  const std::pair<std::initializer_list<std::string_view>, Outcome> cases[] = {
      {{kStart, kFinish}, Outcome::kSuccess},
      {{kStart, R"({"type":"RUN_FINISHED","outcome":{"type":"success"}})"}, Outcome::kSuccess},
      {{kStart, R"({"type":"RUN_FINISHED","outcome":null})"}, Outcome::kSuccess},
      {{kStart, interrupt}, Outcome::kInterrupt},
      {{kStart, cancelled}, Outcome::kCancelled},
      {{kStart, error}, Outcome::kRunError},
      {{error}, Outcome::kRunError},
      {{kStart, error, kFinish}, Outcome::kRunError},
      {{kStart, kFinish, error}, Outcome::kRunError},
      {{kStart}, Outcome::kTruncated},
      {{kStart, kFinish, kStart}, Outcome::kTruncated},
      {{}, Outcome::kEmpty},
      {{kStart, error, kStart, kFinish}, Outcome::kSuccess},
      {{kStart, interrupt, kStart, kFinish}, Outcome::kSuccess},
      {{kStart, kFinish, kStart, interrupt}, Outcome::kInterrupt},
  };
  for (const auto& [events, outcome] : cases) {
    Conversation c;
    Turn& turn = c.turn(events);
    EXPECT_EQ(turn.outcome, outcome) << outcome_name(turn.outcome) << " of " << events.size();
    EXPECT_EQ(turn.interrupts.size(), outcome == Outcome::kInterrupt ? 1u : 0u);
    if (outcome == Outcome::kRunError) {
      EXPECT_EQ(turn.error, "broken (code E1)");
    }
  }
  Conversation c;
  EXPECT_EQ(c.turn({R"({"type":"RUN_ERROR","error":"old style"})"}).error, "old style");
  EXPECT_EQ(c.turn({R"({"type":"RUN_ERROR"})"}, "u2").error, "no message");
}

TEST(Collector, ALimitStopsTheTurn) {
  std::string members;
  for (int i = 0; i < 5000; ++i)
    members += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
  Conversation c;
  c.begin();
  c.add(R"({"type":"STATE_SNAPSHOT","snapshot":{)" + members + "}}");
  EXPECT_NE(c.collector.limit().find("object_members"), std::string::npos);
  EXPECT_FALSE(c.collector.state());
}

}  // namespace
}  // namespace assay
