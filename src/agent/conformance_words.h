#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "agent/decode.h"
#include "base/text.h"

// Small words that the parts of the judge share.
namespace assay::conformance {

// Who an event says it belongs to: a subagent's run, or nobody in particular.
using Owner = std::optional<std::string>;
inline std::optional<std::string_view> tag_of(const AguiEvent& event) {
  return event.is_text(FieldId::kSubagentRunId) ? std::optional(event.text(FieldId::kSubagentRunId)) : std::nullopt;
}

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

inline FieldId id_field(EventType type) {
  switch (type) {
    case EventType::kToolStart:
    case EventType::kToolArgs:
    case EventType::kToolEnd:
    case EventType::kToolResult:
    case EventType::kToolChunk: return FieldId::kToolCallId;
    case EventType::kStepStarted:
    case EventType::kStepFinished: return FieldId::kStepName;
    case EventType::kSubagentStarted:
    case EventType::kSubagentFinished:
    case EventType::kSubagentError: return FieldId::kSubagentRunId;
    default: return FieldId::kMessageId;
  }
}

inline std::string shown(std::string_view id) { return quote(shorten(id, 80)); }

}  // namespace assay::conformance
