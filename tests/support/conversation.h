#pragma once
#include <gtest/gtest.h>

#include <initializer_list>

#include "agent/collector.h"

namespace assay::test {

// Events as JSON texts, folded into turns. Each event comes one millisecond after the one before it.
struct Conversation {
  void begin(std::string input = "hi", std::string id = "u1") { collector.begin_turn(std::move(input), std::move(id), at); }
  void add(std::string_view json) {
    AguiEvent event;
    ASSERT_EQ(decoder.decode(json, event), EventDecoder::Status::kOk) << json << decoder.error();
    collector.add(event, at += std::chrono::milliseconds(1));
  }
  // One whole turn.
  Turn& turn(std::initializer_list<std::string_view> events, std::string id = "u1") {
    begin("hi", std::move(id));
    for (auto event : events)
      add(event);
    verdict = collector.end_run();
    collector.end_turn(verdict.outcome, verdict.error, at);
    return transcript.turns.back();
  }
  Json sent() const { return collector.history().to_json(History::Extent::kFull); }

  Time at = Time(std::chrono::seconds(1000));
  EventDecoder decoder{JsonLimits{}};
  Transcript transcript;
  Collector collector{transcript, decoder};
  Collector::Verdict verdict;
};

inline constexpr std::string_view kStart = R"({"type":"RUN_STARTED","threadId":"t","runId":"r"})";
inline constexpr std::string_view kFinish = R"({"type":"RUN_FINISHED","threadId":"t","runId":"r"})";

}  // namespace assay::test
