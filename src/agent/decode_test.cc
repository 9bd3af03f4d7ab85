#include "agent/decode.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Status = EventDecoder::Status;

TEST(Decode, KnowsEveryTypeByName) {
  EventDecoder decoder({});
  for (int i = 0; i < static_cast<int>(EventType::kUnknown); ++i) {
    auto type = static_cast<EventType>(i);
    std::string json = R"({"type":")" + std::string(event_type_name(type)) + R"("})";
    AguiEvent event;
    ASSERT_EQ(decoder.decode(json, event), Status::kOk) << json;
    EXPECT_EQ(event.type, type) << json;
  }
  AguiEvent event;
  EXPECT_EQ(decoder.decode(R"({"type":"META"})", event), Status::kOk);
  EXPECT_EQ(event.type, EventType::kUnknown);
  EXPECT_EQ(event.type_name, "META");
  EXPECT_EQ(event_type_name(EventType::kUnknown), "UNKNOWN");
}

TEST(Decode, TellsWhatIsWrong) {
  EventDecoder decoder({});
  AguiEvent event;
  for (std::string_view json : {"", " ", "{", "[DONE]", ":", "{\"type\":\"RAW\"} x", "nul"})
    EXPECT_EQ(decoder.decode(json, event), Status::kNotJson) << json;
  EXPECT_FALSE(decoder.error().empty());
  for (std::string_view json : {"[]", "1", "\"x\"", "null", "true"})
    EXPECT_EQ(decoder.decode(json, event), Status::kNotObject) << json;
  for (std::string_view json : {"{}", R"({"type":1})", R"({"type":null})", R"({"Type":"RAW"})"})
    EXPECT_EQ(decoder.decode(json, event), Status::kNoType) << json;
  EXPECT_EQ(decoder.decode(R"({"type":"RAW"})", event), Status::kOk);  // and goes on after a mistake
}

TEST(Decode, ReadsSnakeCaseAndPrefersTheRightName) {
  EventDecoder decoder({});
  AguiEvent event;
  ASSERT_EQ(
      decoder.decode(R"({"type":"TOOL_CALL_START","tool_call_id":"c","tool_call_name":"n","parent_message_id":"p"})", event),
      Status::kOk);
  EXPECT_EQ(event.text(FieldId::kToolCallId), "c");
  EXPECT_EQ(event.text(FieldId::kToolCallName), "n");
  EXPECT_EQ(event.text(FieldId::kParentMessageId), "p");
  for (std::string_view json :
       {R"({"type":"RAW","runId":"right","run_id":"wrong"})", R"({"type":"RAW","run_id":"wrong","runId":"right"})"}) {
    ASSERT_EQ(decoder.decode(json, event), Status::kOk);
    EXPECT_EQ(event.text(FieldId::kRunId), "right");
  }
  EXPECT_FALSE(event.has(FieldId::kMessageId));
  EXPECT_EQ(event.text(FieldId::kMessageId), "");
}

TEST(Decode, ARepeatedKeyTakesTheLastValue) {
  EventDecoder decoder({});
  AguiEvent event;
  ASSERT_EQ(decoder.decode(R"({"type":"RAW","delta":"a","delta":"b","snapshot":{"x":1,"x":2}})", event), Status::kOk);
  EXPECT_EQ(event.text(FieldId::kDelta), "b");
  EXPECT_EQ(decoder.value(event.at(FieldId::kSnapshot))->dump(), R"({"x":2})");
}

TEST(Decode, TakesWhatJavaScriptTakes) {
  EventDecoder decoder({});
  AguiEvent event;
  ASSERT_EQ(decoder.decode("{\"type\":\"RAW\",\"delta\":\"a\\ud800b\xFF\",\"value\":123456789012345678901234567890}", event),
            Status::kOk);
  EXPECT_EQ(event.text(FieldId::kDelta),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_DOUBLE_EQ(decoder.value(event.at(FieldId::kValue))->get<double>(), 123456789012345678901234567890.0);
}

TEST(Decode, BuildsEveryKindOfValue) {
  EventDecoder decoder({});
  AguiEvent event;
  std::string_view value = R"({"b":[1,-2,18446744073709551615,0.5,"ö",true,false,null,{},[]],"a":{"z":1,"y":2}})";
  ASSERT_EQ(decoder.decode(R"({"type":"CUSTOM","value":)" + std::string(value) + "}", event), Status::kOk);
  EXPECT_EQ(decoder.value(event.at(FieldId::kValue))->dump(), value);
}

std::string nested(size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); }

TEST(Decode, LimitsDepthAndMembers) {
  EventDecoder decoder({.depth = 10, .object_members = 3});
  AguiEvent event;
  EXPECT_EQ(decoder.decode(R"({"type":"CUSTOM","value":)" + nested(9) + "}", event), Status::kOk);
  EXPECT_EQ(decoder.decode(R"({"type":"CUSTOM","value":)" + nested(10) + "}", event), Status::kLimit);
  EXPECT_EQ(decoder.error(), "json_depth: nested deeper than 10 levels");
  EXPECT_EQ(decoder.decode(R"({"type":"CUSTOM","value":)" + nested(1'000'000) + "}", event), Status::kLimit);
  ASSERT_EQ(decoder.decode(R"({"type":"CUSTOM","value":[{"a":1,"b":2,"c":3}]})", event), Status::kOk);
  EXPECT_TRUE(decoder.value(event.at(FieldId::kValue)));
  ASSERT_EQ(decoder.decode(R"({"type":"CUSTOM","value":[{"a":1,"b":2,"c":3,"d":4}]})", event), Status::kOk);
  auto value = decoder.value(event.at(FieldId::kValue));
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message, "object_members: an object has more than 3 members");
}

TEST(Decode, AnEventMayBeLargerThanTheFirst) {
  EventDecoder decoder({});
  AguiEvent event;
  ASSERT_EQ(decoder.decode(R"({"type":"RAW"})", event), Status::kOk);
  std::string large(1 << 20, 'x');
  ASSERT_EQ(decoder.decode(R"({"type":"RAW","delta":")" + large + "\"}", event), Status::kOk);
  EXPECT_EQ(event.text(FieldId::kDelta), large);
}

}  // namespace
}  // namespace assay
