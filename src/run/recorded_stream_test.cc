#include "run/recorded_stream.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Form = RecordedStream::Form;

constexpr std::string_view kStarted = R"({"type":"RUN_STARTED","threadId":"t","runId":"r"})";
constexpr std::string_view kChunk = R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"Hé"})";
constexpr std::string_view kFinished = R"({"type":"RUN_FINISHED","threadId":"t","runId":"r"})";

std::string sse(std::initializer_list<std::string_view> events) {
  std::string out;
  for (auto event : events)
    out += "data: " + std::string(event) + "\n\n";
  return out;
}

std::string lines(std::initializer_list<std::string_view> events) {
  std::string out;
  for (auto event : events)
    out += std::string(event) + "\n";
  return out;
}

// Fed in pieces of `size` bytes.
Turn judged(Form form, std::string_view bytes, size_t size = SIZE_MAX, const Limits& limits = {}) {
  RecordedStream stream(form, limits);
  while (!bytes.empty() && stream.feed(bytes.substr(0, size)))
    bytes.remove_prefix(std::min(size, bytes.size()));
  return stream.finish();
}

std::string rules(const Turn& turn) {
  std::string out;
  for (const auto& violation : turn.violations)
    out += violation.rule + " ";
  return out;
}

TEST(RecordedStream, BothFormsInPiecesOfAnySize) {
  for (size_t size : {1u, 2u, 7u, 1000u}) {
    for (const Turn& turn : {judged(Form::kSse, sse({kStarted, kChunk, kFinished}), size),
                             judged(Form::kLines, lines({kStarted, kChunk, kFinished}), size)}) {
      EXPECT_EQ(turn.outcome, Outcome::kSuccess);
      EXPECT_EQ(turn.events, 3);
      EXPECT_EQ(turn.text(), "Hé");
      EXPECT_EQ(rules(turn), "");
      EXPECT_EQ(turn.error, "");
    }
  }
}

TEST(RecordedStream, TheLastLineNeedsNoEnd) {
  Turn turn = judged(Form::kLines, std::string("\xef\xbb\xbf\r\n \n") + std::string(kStarted) + "\r\n" + std::string(kFinished));
  EXPECT_EQ(turn.events, 2);
  EXPECT_EQ(rules(turn), "");
  turn = judged(Form::kSse, "data: " + std::string(kStarted) + "\r\n\r\ndata: " + std::string(kFinished));
  EXPECT_EQ(turn.outcome, Outcome::kSuccess);
  EXPECT_EQ(rules(turn), "crlf-framing unterminated-last-event ");
}

TEST(RecordedStream, WhatIsWrongIsToldAndReadOn) {
  Turn turn = judged(Form::kLines, lines({kChunk, "{nonsense", "[1]", kStarted}));
  EXPECT_EQ(turn.events, 4);
  EXPECT_EQ(turn.text(), "Hé");
  EXPECT_EQ(turn.outcome, Outcome::kTruncated);
  EXPECT_EQ(turn.error, "the stream ended without RUN_FINISHED or RUN_ERROR");
  EXPECT_EQ(rules(turn), "first-event not-json not-object truncated ");
  EXPECT_EQ(turn.violations[1].event, 1);
}

TEST(RecordedStream, Endings) {
  Turn turn = judged(Form::kSse, "");
  EXPECT_EQ(turn.outcome, Outcome::kEmpty);
  EXPECT_EQ(rules(turn), "empty-stream ");
  turn = judged(Form::kSse, sse({kStarted, R"({"type":"RUN_ERROR","message":"no"})"}));
  EXPECT_EQ(turn.outcome, Outcome::kRunError);
  EXPECT_EQ(turn.error, "the agent reported RUN_ERROR: no");
  EXPECT_EQ(rules(turn), "");
}

TEST(RecordedStream, Limits) {
  Limits limits;
  limits.event_bytes = 100;
  std::string longer = R"({"type":"CUSTOM","name":"n","value":")" + std::string(200, 'x') + "\"}";
  for (size_t size : {10u, 1000u}) {
    for (const Turn& turn : {judged(Form::kLines, lines({kStarted, longer, kFinished}), size, limits),
                             judged(Form::kSse, sse({kStarted, longer, kFinished}), size, limits)}) {
      EXPECT_EQ(turn.outcome, Outcome::kTransportError);
      EXPECT_EQ(turn.error, "event_bytes: an event is longer than 100 bytes");
    }
  }
  limits.turn_bytes = 60;
  EXPECT_EQ(judged(Form::kSse, sse({kStarted, kFinished}), 10, limits).error, "turn_bytes: more than 60 bytes in one turn");
  limits = {};
  limits.json.depth = 5;
  std::string deep = R"({"type":"STATE_SNAPSHOT","snapshot":[[[[[[[]]]]]]]})";
  EXPECT_EQ(judged(Form::kLines, lines({kStarted, deep}), 10, limits).outcome, Outcome::kTransportError);
}

}  // namespace
}  // namespace assay
