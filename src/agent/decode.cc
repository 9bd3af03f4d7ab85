#include "agent/decode.h"

#include <fmt/format.h>

#include <unordered_map>

namespace assay {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::array<std::pair<std::string_view, EventType>, 36> kTypes = {{
    {"RUN_STARTED", EventType::kRunStarted},
    {"RUN_FINISHED", EventType::kRunFinished},
    {"RUN_ERROR", EventType::kRunError},
    {"STEP_STARTED", EventType::kStepStarted},
    {"STEP_FINISHED", EventType::kStepFinished},
    {"TEXT_MESSAGE_START", EventType::kTextStart},
    {"TEXT_MESSAGE_CONTENT", EventType::kTextContent},
    {"TEXT_MESSAGE_END", EventType::kTextEnd},
    {"TEXT_MESSAGE_CHUNK", EventType::kTextChunk},
    {"TOOL_CALL_START", EventType::kToolStart},
    {"TOOL_CALL_ARGS", EventType::kToolArgs},
    {"TOOL_CALL_END", EventType::kToolEnd},
    {"TOOL_CALL_CHUNK", EventType::kToolChunk},
    {"TOOL_CALL_RESULT", EventType::kToolResult},
    {"STATE_SNAPSHOT", EventType::kStateSnapshot},
    {"STATE_DELTA", EventType::kStateDelta},
    {"MESSAGES_SNAPSHOT", EventType::kMessagesSnapshot},
    {"ACTIVITY_SNAPSHOT", EventType::kActivitySnapshot},
    {"ACTIVITY_DELTA", EventType::kActivityDelta},
    {"REASONING_START", EventType::kReasoningStart},
    {"REASONING_END", EventType::kReasoningEnd},
    {"REASONING_MESSAGE_START", EventType::kReasoningMessageStart},
    {"REASONING_MESSAGE_CONTENT", EventType::kReasoningMessageContent},
    {"REASONING_MESSAGE_END", EventType::kReasoningMessageEnd},
    {"REASONING_MESSAGE_CHUNK", EventType::kReasoningMessageChunk},
    {"REASONING_ENCRYPTED_VALUE", EventType::kReasoningEncryptedValue},
    {"RAW", EventType::kRaw},
    {"CUSTOM", EventType::kCustom},
    {"SUBAGENT_STARTED", EventType::kSubagentStarted},
    {"SUBAGENT_FINISHED", EventType::kSubagentFinished},
    {"SUBAGENT_ERROR", EventType::kSubagentError},
    {"THINKING_START", EventType::kThinkingStart},
    {"THINKING_END", EventType::kThinkingEnd},
    {"THINKING_TEXT_MESSAGE_START", EventType::kThinkingTextStart},
    {"THINKING_TEXT_MESSAGE_CONTENT", EventType::kThinkingTextContent},
    {"THINKING_TEXT_MESSAGE_END", EventType::kThinkingTextEnd},
}};

struct FieldName {
  std::string_view name;
  FieldId id;
};
constexpr FieldName kFields[] = {
    {"type", FieldId::kType},
    {"threadId", FieldId::kThreadId},
    {"runId", FieldId::kRunId},
    {"messageId", FieldId::kMessageId},
    {"toolCallId", FieldId::kToolCallId},
    {"toolCallName", FieldId::kToolCallName},
    {"parentMessageId", FieldId::kParentMessageId},
    {"role", FieldId::kRole},
    {"name", FieldId::kName},
    {"delta", FieldId::kDelta},
    {"content", FieldId::kContent},
    {"result", FieldId::kResult},
    {"message", FieldId::kMessage},
    {"error", FieldId::kError},
    {"code", FieldId::kCode},
    {"snapshot", FieldId::kSnapshot},
    {"messages", FieldId::kMessages},
    {"stepName", FieldId::kStepName},
    {"outcome", FieldId::kOutcome},
    {"usage", FieldId::kUsage},
    {"value", FieldId::kValue},
    {"title", FieldId::kTitle},
    {"subagentRunId", FieldId::kSubagentRunId},
    {"metadata", FieldId::kMetadata},
    {"input", FieldId::kInput},
};
// What hand-written servers write instead; the right name wins where both are there.
constexpr FieldName kWrongNames[] = {
    {"thread_id", FieldId::kThreadId},          {"run_id", FieldId::kRunId},
    {"message_id", FieldId::kMessageId},        {"tool_call_id", FieldId::kToolCallId},
    {"tool_call_name", FieldId::kToolCallName}, {"parent_message_id", FieldId::kParentMessageId},
    {"step_name", FieldId::kStepName},          {"subagent_run_id", FieldId::kSubagentRunId},
};

const std::unordered_map<std::string_view, EventType>& types() {
  static const std::unordered_map<std::string_view, EventType> map(kTypes.begin(), kTypes.end());
  return map;
}

struct Known {
  FieldId id;
  bool wrong;
};
const std::unordered_map<std::string_view, Known>& known_fields() {
  static const auto map = [] {
    std::unordered_map<std::string_view, Known> out;
    for (const auto& field : kFields)
      out.emplace(field.name, Known{field.id, false});
    for (const auto& field : kWrongNames)
      out.emplace(field.name, Known{field.id, true});
    return out;
  }();
  return map;
}

void collect_fields(AguiEvent& out) {
  out.present = 0;
  for (auto field : out.object) {
    auto known = known_fields().find(field.key);
    if (known == known_fields().end()) continue;
    auto [id, wrong] = known->second;
    if (wrong && out.has(id)) continue;
    out.fields[static_cast<size_t>(id)] = field.value;
    out.present |= 1u << static_cast<unsigned>(id);
  }
}

// Builds JSON values from the parser's tree within the limits.
struct Converter {
  const JsonLimits& limits;
  std::string error;

  bool convert(element from, Json& to) {
    switch (from.type()) {
      case element_type::OBJECT: return object(from, to);
      case element_type::ARRAY: return array(from, to);
      case element_type::STRING: to = std::string(std::string_view(from)); return true;
      case element_type::INT64: to = int64_t(from); return true;
      case element_type::UINT64: to = uint64_t(from); return true;
      case element_type::DOUBLE: to = double(from); return true;
      case element_type::BOOL: to = bool(from); return true;
      case element_type::NULL_VALUE: to = nullptr; return true;
    }
    return false;
  }

  bool array(element from, Json& to) {
    to = Json::array();
    simdjson::dom::array items = from.get_array().value_unsafe();
    for (auto item : items) {
      to.push_back(nullptr);
      if (!convert(item, to.back())) return false;
    }
    return true;
  }

  bool object(element from, Json& to) {
    to = Json::object();
    size_t members = 0;
    simdjson::dom::object fields = from.get_object().value_unsafe();
    for (auto field : fields) {
      if (++members > limits.object_members) {
        error = fmt::format("object_members: an object has more than {} members", limits.object_members);
        return false;
      }
      if (!convert(field.value, to[std::string(field.key)])) return false;
    }
    return true;
  }
};

}  // namespace

std::string_view AguiEvent::text(FieldId id) const {
  if (!has(id)) return {};
  std::string_view out;
  return at(id).get(out) == simdjson::SUCCESS ? out : std::string_view();
}

std::string_view AguiEvent::text(std::string_view name) const {
  std::string_view out;
  return object[name].get(out) == simdjson::SUCCESS ? out : std::string_view();
}

bool EventDecoder::parse(std::string_view json, element& root) {
  auto result = parser_.parse(json.data(), json.size());
  if (result.error() == simdjson::DEPTH_ERROR || result.error() == simdjson::CAPACITY) {
    error_ = fmt::format("json_depth: nested deeper than {} levels", limits_.depth);
    return false;
  }
  if (result.error()) {
    error_ = simdjson::error_message(result.error());
    return false;
  }
  root = result.value_unsafe();
  return true;
}

EventDecoder::Status EventDecoder::decode(std::string_view json, AguiEvent& out) {
  // One level more than allowed, because the parser counts the document itself.
  if (!allocated_) allocated_ = parser_.allocate(4096, limits_.depth + 1) == simdjson::SUCCESS;
  element root;
  if (!parse(json, root)) {
    if (error_.starts_with("json_depth")) return Status::kLimit;
    // The strict parser refuses what JavaScript takes: huge integers, lone surrogates, broken UTF-8.
    auto lenient = parse_json(json, {limits_.depth, SIZE_MAX});
    if (!lenient) return error_ = lenient.error().message, Status::kNotJson;
    repaired_ = to_compact(*lenient);
    if (!parse(repaired_, root)) return Status::kNotJson;
  }
  if (root.get(out.object) != simdjson::SUCCESS) return error_ = "the event is not a JSON object", Status::kNotObject;
  collect_fields(out);
  if (out.text(FieldId::kType).empty()) return error_ = "the event has no type", Status::kNoType;
  out.type_name = out.text(FieldId::kType);
  auto known = types().find(out.type_name);
  out.type = known == types().end() ? EventType::kUnknown : known->second;
  return Status::kOk;
}

Result<Json> EventDecoder::value(element from) const {
  Converter converter{limits_, {}};
  Json out;
  if (!converter.convert(from, out)) return fail(ErrorKind::kAgent, converter.error);
  return out;
}

std::string_view event_type_name(EventType type) {
  for (const auto& [name, value] : kTypes)
    if (value == type) return name;
  return "UNKNOWN";
}

}  // namespace assay
