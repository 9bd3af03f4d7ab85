#pragma once
#include <string>
#include <string_view>

#include "agent/decode.h"
#include "base/text.h"

// Small words that the parts of the judge share.
namespace assay::conformance {

inline std::string_view lane_of(const AguiEvent& event) { return event.text(FieldId::kSubagentRunId); }

inline bool is_thinking(EventType type) { return type >= EventType::kThinkingStart && type <= EventType::kThinkingTextEnd; }
inline bool is_chunk(EventType type) {
  return type == EventType::kTextChunk || type == EventType::kToolChunk || type == EventType::kReasoningMessageChunk;
}
inline bool is_run(EventType type) {
  return type == EventType::kRunStarted || type == EventType::kRunFinished || type == EventType::kRunError;
}

// Does an event end the chunk stream of its lane?
inline bool closes_lane(EventType type) {
  switch (type) {
    case EventType::kRaw:
    case EventType::kActivitySnapshot:
    case EventType::kActivityDelta:
    case EventType::kReasoningEncryptedValue:
    case EventType::kSubagentStarted:
    case EventType::kUnknown: return false;
    default: return !is_chunk(type);
  }
}

inline std::string shown(std::string_view id) { return quote(shorten(id, 80)); }

}  // namespace assay::conformance
