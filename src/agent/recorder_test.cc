#include "agent/recorder.h"

#include "support/conversation.h"

namespace assay {
namespace {

struct Recording : test::Conversation {
  explicit Recording(std::string* log = nullptr) : recorder(collector, decoder, log) {
    begin();
    recorder.begin_run(transcript.turns.back(), ConformanceRequest{});
  }
  const Turn& last() const { return transcript.turns.back(); }
  Recorder recorder;
};

TEST(Recorder, WhatCannotBeReadIsAViolationAndCounts) {
  Recording r;
  for (std::string_view json : {"[DONE]", "7", "{}", R"({"type":"RUN_STARTED","threadId":"t","runId":"r"})"})
    EXPECT_TRUE(r.recorder.on_event(json, r.at));
  ASSERT_EQ(r.last().violations.size(), 3u);
  EXPECT_EQ(r.last().violations[0].rule, "not-json");
  EXPECT_EQ(r.last().violations[1].rule, "not-object");
  EXPECT_EQ(r.last().violations[2].rule, "no-type");
  EXPECT_EQ(r.last().violations[2].event, 2);
  EXPECT_EQ(r.last().events, 4);
}

TEST(Recorder, GarbageWithoutEndDoesNotFillTheMemory) {
  Recording r;
  for (int i = 0; i < 5000; ++i)
    r.recorder.on_event("x", r.at);
  EXPECT_EQ(r.last().violations.size(), 1000u);
  EXPECT_EQ(r.last().events, 5000);
}

TEST(Recorder, ALimitIsARefusal) {
  Recording r;
  EXPECT_FALSE(r.recorder.on_event(std::string(500, '[') + std::string(500, ']'), r.at));
  EXPECT_EQ(r.recorder.refusal(), "json_depth: nested deeper than 200 levels");
}

TEST(Recorder, KeepsTheLogWithinBounds) {
  std::string log;
  Recording r(&log);
  EXPECT_TRUE(r.recorder.wants_log());
  for (int i = 0; i < 3000; ++i)
    r.recorder.on_log(std::string(1000, 'x'));
  EXPECT_LT(log.size(), size_t{2} << 20);
  EXPECT_TRUE(log.ends_with("(the rest of the log is left out)\n"));
  EXPECT_FALSE(Recording().recorder.wants_log());
}

}  // namespace
}  // namespace assay
