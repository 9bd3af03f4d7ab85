#include "agent/event_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

// What a value may be. Each answers nothing, or what is wrong with it.
using Shape = std::string (*)(element value);

std::string_view type_word(element value) {
  switch (value.type()) {
    case element_type::OBJECT: return "an object";
    case element_type::ARRAY: return "a list";
    case element_type::STRING: return "text";
    case element_type::BOOL: return "a boolean";
    case element_type::NULL_VALUE: return "null";
    default: return "a number";
  }
}

std::string not_a(element value, std::string_view wanted) { return fmt::format("must be {}, not {}", wanted, type_word(value)); }

std::string any(element) { return {}; }
std::string text(element value) { return value.is_string() ? "" : not_a(value, "text"); }
std::string boolean(element value) { return value.is_bool() ? "" : not_a(value, "true or false"); }
std::string map(element value) { return value.is_object() ? "" : not_a(value, "an object"); }

std::string whole(element value) {
  if (!value.is_number()) return not_a(value, "a whole number");
  constexpr double kLargest = 9007199254740991.0;
  double number = value.get_double().value_unsafe();
  bool safe = number == static_cast<double>(static_cast<int64_t>(std::clamp(number, -kLargest, kLargest)));
  return safe ? "" : "must be a whole number";
}

std::string one_of(element value, std::span<const std::string_view> words) {
  std::string_view word;
  if (value.get(word) != simdjson::SUCCESS) return not_a(value, "text");
  if (std::find(words.begin(), words.end(), word) != words.end()) return {};
  std::vector<std::string> names(words.begin(), words.end());
  return fmt::format("cannot be {}: it is one of {}", quote(shorten(word, 40)), join(names, ", "));
}

std::string message_role(element value) {
  constexpr std::array<std::string_view, 4> kRoles = {"developer", "system", "assistant", "user"};
  return one_of(value, kRoles);
}
std::string reasoning_role(element value) {
  constexpr std::array<std::string_view, 1> kRoles = {"reasoning"};
  return one_of(value, kRoles);
}
std::string tool_role(element value) {
  constexpr std::array<std::string_view, 1> kRoles = {"tool"};
  return one_of(value, kRoles);
}
std::string encrypted_subtype(element value) {
  constexpr std::array<std::string_view, 2> kWords = {"tool-call", "message"};
  return one_of(value, kWords);
}

template <class Each>
std::string each_object(element value, std::string_view wanted, Each each) {
  simdjson::dom::array items;
  if (value.get(items) != simdjson::SUCCESS) return not_a(value, wanted);
  size_t index = 0;
  for (element item : items) {
    object fields;
    if (item.get(fields) != simdjson::SUCCESS) return fmt::format("item {}: {}", index, not_a(item, "an object"));
    if (std::string wrong = each(fields); !wrong.empty()) return fmt::format("item {}: {}", index, wrong);
    ++index;
  }
  return {};
}

std::string needs_text(const object& fields, std::string_view key) {
  element value;
  if (fields[key].get(value) != simdjson::SUCCESS) return fmt::format("{} is missing", key);
  std::string wrong = text(value);
  return wrong.empty() ? "" : fmt::format("{} {}", key, wrong);
}

// RFC 6902: operations of an unknown kind are dropped by readers, a path that is missing is malformed.
std::string patch(element value) {
  return each_object(value, "a list of operations", [](const object& operation) {
    std::string wrong = needs_text(operation, "op");
    return wrong.empty() ? needs_text(operation, "path") : wrong;
  });
}

std::string messages(element value) {
  return each_object(value, "a list of messages", [](const object& message) {
    std::string wrong = needs_text(message, "id");
    return wrong.empty() ? needs_text(message, "role") : wrong;
  });
}

std::string content(element value) {
  if (value.is_string()) return {};
  if (!value.is_array()) return not_a(value, "text or a list of parts");
  return each_object(value, "a list of parts", [](const object& part) { return needs_text(part, "type"); });
}

std::string interrupts(element value) {
  simdjson::dom::array items;
  if (value.get(items) == simdjson::SUCCESS && items.size() == 0) return "is empty";
  return each_object(value, "a list of interrupts", [](const object& interrupt) {
    std::string wrong = needs_text(interrupt, "id");
    return wrong.empty() ? needs_text(interrupt, "reason") : wrong;
  });
}

// A member of a kind nobody knows is left out by readers; a known one must be as described.
std::string run_outcome(element value) {
  object fields;
  if (value.get(fields) != simdjson::SUCCESS) return not_a(value, "an object");
  if (std::string wrong = needs_text(fields, "type"); !wrong.empty()) return wrong;
  std::string_view type = fields["type"].get_string().value_unsafe();
  element list;
  if (type == "interrupt") {
    if (fields["interrupts"].get(list) != simdjson::SUCCESS) return "interrupts is missing";
    std::string wrong = interrupts(list);
    return wrong.empty() ? "" : "interrupts " + wrong;
  }
  if (type == "success" && fields["pendingToolCallIds"].get(list) == simdjson::SUCCESS && !list.is_array())
    return "pendingToolCallIds " + not_a(list, "a list");
  return {};
}

std::string usage(element value) {
  return each_object(value, "a list", [](const object& entry) -> std::string {
    for (auto field : entry) {
      bool counts = field.key.size() > 6 && field.key.substr(field.key.size() - 6) == "Tokens";
      if (!counts) continue;
      std::string wrong = whole(field.value);
      if (wrong.empty() && field.value.get_double().value_unsafe() < 0) wrong = "must not be below zero";
      if (!wrong.empty()) return fmt::format("{} {}", field.key, wrong);
    }
    return {};
  });
}

enum Need { kOptional, kRequired, kLegacyNull };

struct EventField {
  std::string_view name;
  Shape shape;
  Need need = kOptional;
};

struct EventFields {
  EventType type;
  std::array<EventField, 6> list{};  // ends with the first that has no name
  bool attributed = true;            // may carry subagentRunId

  constexpr std::span<const EventField> fields() const {
    size_t count = 0;
    while (count < list.size() && !list[count].name.empty())
      ++count;
    return {list.data(), count};
  }
};

// Fields that every event may carry.
constexpr std::array<EventField, 4> kBase = {
    {{"type", text, kRequired}, {"timestamp", whole}, {"rawEvent", any, kLegacyNull}, {"metadata", map}}};

// One row per event, in the order of the enumeration.
constexpr EventFields kTable[] = {
    {EventType::kRunStarted,
     {{{"threadId", text, kRequired},
       {"runId", text, kRequired},
       {"parentRunId", text},
       {"input", map},
       {"protocolVersion", text}}},
     false},
    {EventType::kRunFinished,
     {{{"threadId", text, kRequired},
       {"runId", text, kRequired},
       {"result", any, kLegacyNull},
       {"outcome", run_outcome, kLegacyNull},
       {"usage", usage}}},
     false},
    {EventType::kRunError, {{{"message", text, kRequired}, {"code", text}, {"usage", usage}}}, false},
    {EventType::kStepStarted, {{{"stepName", text, kRequired}}}},
    {EventType::kStepFinished, {{{"stepName", text, kRequired}}}},
    {EventType::kTextStart, {{{"messageId", text, kRequired}, {"role", message_role}, {"name", text}}}},
    {EventType::kTextContent, {{{"messageId", text, kRequired}, {"delta", text, kRequired}}}},
    {EventType::kTextEnd, {{{"messageId", text, kRequired}}}},
    {EventType::kTextChunk, {{{"messageId", text}, {"role", message_role}, {"delta", text}, {"name", text}}}},
    {EventType::kToolStart,
     {{{"toolCallId", text, kRequired}, {"toolCallName", text, kRequired}, {"parentMessageId", text, kLegacyNull}}}},
    {EventType::kToolArgs, {{{"toolCallId", text, kRequired}, {"delta", text, kRequired}}}},
    {EventType::kToolEnd, {{{"toolCallId", text, kRequired}}}},
    {EventType::kToolChunk,
     {{{"toolCallId", text}, {"toolCallName", text}, {"parentMessageId", text, kLegacyNull}, {"delta", text}}}},
    {EventType::kToolResult,
     {{{"messageId", text, kRequired}, {"toolCallId", text, kRequired}, {"content", content, kRequired}, {"role", tool_role}}}},
    {EventType::kStateSnapshot, {{{"snapshot", any, kRequired}}}},
    {EventType::kStateDelta, {{{"delta", patch, kRequired}}}},
    {EventType::kMessagesSnapshot, {{{"messages", messages, kRequired}}}, false},
    {EventType::kActivitySnapshot,
     {{{"messageId", text, kRequired}, {"activityType", text, kRequired}, {"content", map, kRequired}, {"replace", boolean}}}},
    {EventType::kActivityDelta,
     {{{"messageId", text, kRequired}, {"activityType", text, kRequired}, {"patch", patch, kRequired}}}},
    {EventType::kReasoningStart, {{{"messageId", text, kRequired}}}},
    {EventType::kReasoningEnd, {{{"messageId", text, kRequired}}}},
    {EventType::kReasoningMessageStart, {{{"messageId", text, kRequired}, {"role", reasoning_role, kRequired}}}},
    {EventType::kReasoningMessageContent, {{{"messageId", text, kRequired}, {"delta", text, kRequired}}}},
    {EventType::kReasoningMessageEnd, {{{"messageId", text, kRequired}}}},
    {EventType::kReasoningMessageChunk, {{{"messageId", text}, {"delta", text}}}},
    {EventType::kReasoningEncryptedValue,
     {{{"subtype", encrypted_subtype, kRequired},
       {"entityId", text, kRequired},
       {"encryptedValue", text, kRequired},
       {"encryptedValueType", text}}}},
    {EventType::kRaw, {{{"event", any, kRequired}, {"source", text}}}},
    {EventType::kCustom, {{{"name", text, kRequired}, {"value", any, kRequired}}}},
    {EventType::kSubagentStarted,
     {{{"subagentRunId", text, kRequired},
       {"name", text, kRequired},
       {"description", text},
       {"parentSubagentRunId", text},
       {"parentToolCallId", text},
       {"parentMessageId", text}}}},
    {EventType::kSubagentFinished, {{{"subagentRunId", text, kRequired}, {"result", any, kLegacyNull}, {"outcome", map}}}},
    {EventType::kSubagentError, {{{"subagentRunId", text, kRequired}, {"message", text, kRequired}, {"code", text}}}},
    {EventType::kThinkingStart, {{{"title", text}}}},
    {EventType::kThinkingEnd, {{}}},
    {EventType::kThinkingTextStart, {{}}},
    {EventType::kThinkingTextContent, {{{"delta", text, kRequired}}}},
    {EventType::kThinkingTextEnd, {{}}},
};

const EventFields* row_of(EventType type) {
  size_t index = static_cast<size_t>(type);
  return index < std::size(kTable) ? &kTable[index] : nullptr;
}

// The name a key was probably meant to be: thread_id → threadId, and the two known mix-ups.
std::string meant(std::string_view key, EventType type) {
  if (key == "result" && type == EventType::kToolResult) return "content";
  if (key == "error" && type == EventType::kRunError) return "message";
  std::string out;
  for (size_t i = 0; i < key.size(); ++i) {
    bool joint = key[i] == '_' && i + 1 < key.size();
    if (joint) ++i;
    out += joint && key[i] >= 'a' && key[i] <= 'z' ? static_cast<char>(key[i] - 'a' + 'A') : key[i];
  }
  return out;
}

class FieldJudge {
 public:
  FieldJudge(const AguiEvent& event, const EventFields& row, const SchemaSink& sink) : event_(event), row_(row), sink_(sink) {}

  bool judge() {
    for (auto field : event_.object)
      judge_field(field.key, field.value);
    for (const auto& field : row_.fields())
      if (field.need == kRequired && !has(field.name)) missing(field.name);
    return usable_;
  }

 private:
  bool has(std::string_view key) const {
    element ignored;
    return event_.object[key].get(ignored) == simdjson::SUCCESS;
  }
  const EventField* known(std::string_view key) const {
    static constexpr EventField kAttribution = {"subagentRunId", text};
    auto named = [&](const EventField& field) { return field.name == key; };
    auto own = row_.fields();
    if (auto it = std::find_if(own.begin(), own.end(), named); it != own.end()) return &*it;
    if (auto it = std::find_if(kBase.begin(), kBase.end(), named); it != kBase.end()) return &*it;
    return row_.attributed && key == kAttribution.name ? &kAttribution : nullptr;
  }
  void error(std::string message) {
    usable_ = false;
    sink_("schema", std::move(message));
  }
  void judge_field(std::string_view key, element value) {
    const EventField* field = known(key);
    if (!field) return unknown(key);
    bool null = value.is_null() && field->shape != any;
    if (value.is_null() && field->need == kLegacyNull)
      return sink_("legacy-null", fmt::format("{}.{} is null: leave it out instead", event_.type_name, key));
    if (null) return error(fmt::format("{}.{} must not be null: leave it out instead", event_.type_name, key));
    if (std::string wrong = field->shape(value); !wrong.empty()) error(fmt::format("{}.{} {}", event_.type_name, key, wrong));
  }
  void unknown(std::string_view key) {
    std::string right = meant(key, event_.type);
    // A wrong key in the place of a required one is reported as what it is: the required one is missing.
    if (right != key && known(right) && !has(right) && known(right)->need == kRequired) return;
    if (right != key && known(right))
      return sink_("unknown-field", fmt::format("{} has the unknown field {}: it is called {}", event_.type_name,
                                                visible(shorten(key, 60)), right));
    sink_("unknown-field", fmt::format("{} has the unknown field {}", event_.type_name, visible(shorten(key, 60))));
  }
  void missing(std::string_view name) {
    for (auto field : event_.object)
      if (meant(field.key, event_.type) == name)
        return error(fmt::format("{} has {} where it must have {}", event_.type_name, visible(shorten(field.key, 60)), name));
    error(fmt::format("{} has no {}", event_.type_name, name));
  }

  const AguiEvent& event_;
  const EventFields& row_;
  const SchemaSink& sink_;
  bool usable_ = true;
};

}  // namespace

bool check_event_fields(const AguiEvent& event, const SchemaSink& sink) {
  const EventFields* row = row_of(event.type);
  return !row || FieldJudge(event, *row, sink).judge();
}

}  // namespace assay
