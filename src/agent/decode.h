#pragma once
#include <simdjson.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace assay {

// Every event of AG-UI 1.1 and the deprecated ones of 0.x.
enum class EventType {
  kRunStarted,
  kRunFinished,
  kRunError,
  kStepStarted,
  kStepFinished,
  kTextStart,
  kTextContent,
  kTextEnd,
  kTextChunk,
  kToolStart,
  kToolArgs,
  kToolEnd,
  kToolChunk,
  kToolResult,
  kStateSnapshot,
  kStateDelta,
  kMessagesSnapshot,
  kActivitySnapshot,
  kActivityDelta,
  kReasoningStart,
  kReasoningEnd,
  kReasoningMessageStart,
  kReasoningMessageContent,
  kReasoningMessageEnd,
  kReasoningMessageChunk,
  kReasoningEncryptedValue,
  kRaw,
  kCustom,
  kSubagentStarted,
  kSubagentFinished,
  kSubagentError,
  kThinkingStart,
  kThinkingEnd,
  kThinkingTextStart,
  kThinkingTextContent,
  kThinkingTextEnd,
  kUnknown,
};

// The fields that are read. Wrong spellings (snake_case, `result` for `content`, `error` for `message`) land in the
// same place.
enum class FieldId {
  kType,
  kThreadId,
  kRunId,
  kMessageId,
  kToolCallId,
  kToolCallName,
  kParentMessageId,
  kRole,
  kName,
  kDelta,
  kContent,
  kResult,
  kMessage,
  kError,
  kCode,
  kSnapshot,
  kMessages,
  kStepName,
  kOutcome,
  kUsage,
  kValue,
  kTitle,
  kSubagentRunId,
  kMetadata,
  kInput,
  kCount,
};

// One event, decoded. A view: valid until the next call of the decoder that made it.
struct AguiEvent {
  EventType type = EventType::kUnknown;
  std::string_view type_name;
  simdjson::dom::object object;
  std::array<simdjson::dom::element, static_cast<size_t>(FieldId::kCount)> fields;
  uint32_t present = 0;

  bool has(FieldId id) const { return present >> static_cast<unsigned>(id) & 1u; }
  simdjson::dom::element at(FieldId id) const { return fields[static_cast<size_t>(id)]; }
  // The string of a field; empty where it is absent or no string.
  std::string_view text(FieldId id) const;
  bool is_text(FieldId id) const { return has(id) && at(id).is_string(); }
  // The same for a field that few events have, by its name.
  std::string_view text(std::string_view name) const;
};

class EventDecoder {
 public:
  explicit EventDecoder(const JsonLimits& limits) : limits_(limits) {}

  enum class Status { kOk, kNotJson, kNotObject, kNoType, kLimit };
  Status decode(std::string_view json, AguiEvent& out);
  const std::string& error() const { return error_; }  // of the last decode that was not kOk

  // A field as a JSON value; a limit passed is an error that names it.
  Result<Json> value(simdjson::dom::element element) const;

 private:
  bool parse(std::string_view json, simdjson::dom::element& root);

  JsonLimits limits_;
  simdjson::dom::parser parser_;
  bool allocated_ = false;
  std::string repaired_;
  std::string error_;
};

std::string_view event_type_name(EventType type);

}  // namespace assay
