#include "serve/event_steps.h"

#include <fmt/format.h>

#include "base/json.h"

namespace assay {
namespace {

using M = EventMember;

constexpr M kCustom[] = {{"name", "name", M::kText, M::kRequired}, {"value", "value", M::kAny, M::kOrNull}};
constexpr M kError[] = {{"message", "message", M::kText, M::kRequired}, {"code", "code"}};
constexpr M kActivity[] = {{"id", "messageId"},
                           {"type", "activityType", M::kText, M::kRequired},
                           {"content", "content", M::kMap, M::kRequired},
                           {"replace", "replace", M::kBool}};
constexpr M kActivityDelta[] = {
    {"id", "messageId"}, {"type", "activityType", M::kText, M::kRequired}, {"patch", "patch", M::kList, M::kRequired}};
constexpr M kSubagent[] = {{"id", "subagentRunId", M::kText, M::kRequired},
                           {"name", "name", M::kText, M::kRequired},
                           {"description", "description"},
                           {"parent", "parentSubagentRunId"},
                           {"parentToolCallId", "parentToolCallId"},
                           {"parentMessageId", "parentMessageId"}};
constexpr M kSubagentEnd[] = {
    {"id", "subagentRunId", M::kText, M::kRequired}, {"result", "result", M::kAny}, {"outcome", "outcome", M::kMap}};
constexpr M kSubagentError[] = {
    {"id", "subagentRunId", M::kText, M::kRequired}, {"message", "message", M::kText, M::kRequired}, {"code", "code"}};
constexpr M kEncrypted[] = {{"subtype", "subtype", M::kText, M::kRequired},
                            {"id", "entityId", M::kText, M::kRequired},
                            {"value", "encryptedValue", M::kText, M::kRequired},
                            {"value_type", "encryptedValueType"}};
constexpr M kInterrupt[] = {{"id", "id", M::kText, M::kRequired},
                            {"reason", "reason", M::kText, M::kRequired},
                            {"message", "message"},
                            {"toolCallId", "toolCallId"},
                            {"responseSchema", "responseSchema", M::kMap},
                            {"expiresAt", "expiresAt"},
                            {"metadata", "metadata", M::kMap},
                            {"subagentRunId", "subagentRunId"}};
constexpr EventKind kInterruptKind = {"interrupt", "", kInterrupt};

Json shaped(Reader& reader, const Node& node, const EventMember& member) {
  std::string what = fmt::format("`{}`", member.key);
  switch (member.shape) {
    case M::kText: return reader.text(node, what).value_or("");
    case M::kBool: return reader.boolean(node, what).value_or(false);
    case M::kMap: reader.map(node, what); break;
    case M::kList: reader.list(node, what); break;
    case M::kAny: break;
  }
  return node.to_json();
}

void read_members(Reader& reader, const Node& node, const EventKind& kind, Json& out) {
  std::string what = fmt::format("`{}`", kind.step);
  if (!reader.map(node, what)) return;
  std::vector<std::string> names;
  for (const auto& member : kind.members) {
    names.emplace_back(member.key);
    const Node* value = node.find(member.key);
    if (value)
      out[std::string(member.member)] = shaped(reader, *value, member);
    else if (member.need == M::kOrNull)
      out[std::string(member.member)] = nullptr;
    else if (member.need == M::kRequired)
      reader.error(node, fmt::format("{} needs `{}`", what, member.key));
  }
  for (const auto& [key, value] : node.members)
    if (std::find(names.begin(), names.end(), key.text) == names.end()) reader.unknown_key(key, names, what);
}

}  // namespace

constinit const EventKind kCustomKind = {"custom", "CUSTOM", kCustom};
constinit const EventKind kErrorKind = {"error", "RUN_ERROR", kError, "message"};
constinit const EventKind kActivityKind = {"activity", "ACTIVITY_SNAPSHOT", kActivity};
constinit const EventKind kActivityDeltaKind = {"activity_delta", "ACTIVITY_DELTA", kActivityDelta};
constinit const EventKind kSubagentKind = {"subagent", "SUBAGENT_STARTED", kSubagent};
constinit const EventKind kSubagentEndKind = {"subagent_end", "SUBAGENT_FINISHED", kSubagentEnd, "id"};
constinit const EventKind kSubagentErrorKind = {"subagent_error", "SUBAGENT_ERROR", kSubagentError};
constinit const EventKind kEncryptedKind = {"encrypted", "REASONING_ENCRYPTED_VALUE", kEncrypted};

Json read_event_kind(Reader& reader, const Node& node, const EventKind& kind) {
  Json out = {{"type", kind.type}};
  bool is_short = !kind.short_key.empty() && !node.is_map() && !node.is_list();
  if (!is_short) return read_members(reader, node, kind, out), out;
  for (const auto& member : kind.members)
    if (member.key == kind.short_key)
      out[std::string(member.member)] = reader.text(node, fmt::format("`{}`", kind.step)).value_or("");
  return out;
}

Json read_interrupts(Reader& reader, const Node& node) {
  Json list = Json::array();
  auto read = [&](const Node& item) {
    Json interrupt = Json::object();
    read_members(reader, item, kInterruptKind, interrupt);
    list.push_back(std::move(interrupt));
  };
  if (!node.is_list()) read(node);
  for (const auto& item : node.items)
    read(item);
  if (node.is_list() && node.items.empty()) reader.error(node, "`interrupt` is empty");
  return {{"type", "interrupt"}, {"interrupts", std::move(list)}};
}

}  // namespace assay
