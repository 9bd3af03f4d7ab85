#include "agent/history.h"

#include <algorithm>
#include <array>

#include "agent/content.h"
#include "agent/patch.h"

namespace assay {
namespace {

bool is_reasoning(const Json& message) { return text_member(message, "role") == "reasoning"; }

// Activity is for the screen only: it is never sent back.
bool is_activity(const Json& message) { return text_member(message, "role") == "activity"; }
bool is_sent(const Json& message) { return !is_activity(message); }

void merge(Json& target, const Json& metadata) {
  Json& known = target["metadata"];
  if (!known.is_object()) known = Json::object();
  for (const auto& [key, value] : metadata.items())
    known[key] = value;
}

// Parts of a kind nobody knows are left out, as the reference client does.
Json without_unknown_parts(const Json& message) {
  static constexpr std::array<std::string_view, 6> kKinds = {"text", "image", "audio", "video", "document", "binary"};
  auto content = message.find("content");
  if (content == message.end() || !content->is_array()) return message;
  Json kept = Json::array();
  for (const auto& part : *content) {
    bool known = part.is_object() && std::find(kKinds.begin(), kKinds.end(), text_member(part, "type")) != kKinds.end();
    if (known) kept.push_back(part);
  }
  Json out = message;
  out["content"] = std::move(kept);
  return out;
}

}  // namespace

Json* History::find(std::string_view id) {
  auto it = places_.find(id);
  return it == places_.end() ? nullptr : &messages_[it->second];
}

Json& History::message(std::string_view id, std::string_view role) {
  if (Json* known = find(id)) return *known;
  places_.emplace(id, messages_.size());
  messages_.push_back({{"id", id}, {"role", role}});
  return messages_.back();
}

bool History::may_be_assistant(std::string_view id) const {
  auto it = places_.find(id);
  return it == places_.end() || text_member(messages_[it->second], "role") == "assistant";
}

void History::add_user(std::string id, Json content) { message(id, "user")["content"] = std::move(content); }

void History::open_text(std::string_view id, std::string_view role, std::string_view name) {
  Json& m = message(id, role.empty() ? "assistant" : role);
  if (!m.contains("content") || !m["content"].is_string()) m["content"] = "";
  if (!name.empty()) m["name"] = name;
}

void History::append_text(std::string_view id, std::string_view delta) {
  Json* m = find(id);
  if (!m) return;
  Json& content = (*m)["content"];
  if (content.is_string()) content.get_ref<std::string&>() += delta;
}

void History::open_call(std::string_view call_id, std::string_view name, std::string_view parent) {
  if (calls_.contains(call_id)) {
    Json* function = find_function(call_id);
    if (function && !name.empty()) (*function)["name"] = name;
    return;
  }
  std::string_view owner_id = parent.empty() ? call_id : parent;
  if (Json* m = find(owner_id); m && text_member(*m, "role") != "assistant") owner_id = call_id;
  Json& owner = message(owner_id, "assistant");
  Json& calls = owner["toolCalls"];
  if (!calls.is_array()) calls = Json::array();
  calls_.emplace(call_id, CallPlace{std::string(owner_id), calls.size()});
  calls.push_back({{"id", call_id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", ""}}}});
}

// What a snapshot made of it may be anything.
Json* History::find_call(std::string_view call_id) {
  auto known = calls_.find(call_id);
  Json* owner = known == calls_.end() ? nullptr : find(known->second.owner);
  if (!owner) return nullptr;
  auto calls = owner->find("toolCalls");
  if (calls == owner->end() || !calls->is_array() || calls->size() <= known->second.index) return nullptr;
  Json& call = (*calls)[known->second.index];
  return call.is_object() ? &call : nullptr;
}

Json* History::find_function(std::string_view call_id) {
  Json* call = find_call(call_id);
  if (!call) return nullptr;
  auto function = call->find("function");
  return function == call->end() || !function->is_object() ? nullptr : &*function;
}

void History::append_arguments(std::string_view call_id, std::string_view delta) {
  Json* function = find_function(call_id);
  if (!function) return;
  Json& arguments = (*function)["arguments"];
  if (arguments.is_string()) arguments.get_ref<std::string&>() += delta;
}

void History::add_result(std::string_view message_id, std::string_view call_id, Json content) {
  Json result = {{"id", message_id}, {"role", "tool"}, {"content", std::move(content)}, {"toolCallId", call_id}};
  auto call = calls_.find(call_id);
  auto owner = call == calls_.end() ? places_.end() : places_.find(call->second.owner);
  size_t at = messages_.size();
  if (owner != places_.end()) {
    at = owner->second + 1;
    while (at < messages_.size() && text_member(messages_[at], "role") == "tool")
      ++at;
  }
  insert(at, std::move(result));
}

void History::insert(size_t at, Json message) {
  std::string id = text_member(message, "id");
  messages_.insert(messages_.begin() + static_cast<std::ptrdiff_t>(at), std::move(message));
  if (at + 1 == messages_.size())
    places_.emplace(id, at);
  else
    index();
}

void History::add_answer(Json message) {
  auto call = calls_.find(text_member(message, "toolCallId"));
  auto owner = call == calls_.end() ? places_.end() : places_.find(call->second.owner);
  size_t at = owner == places_.end() ? messages_.size() : owner->second + 1;
  auto goes_on = [](const Json& m) {
    std::string role = text_member(m, "role");
    return role == "assistant" || role == "user";
  };
  while (at < messages_.size() && !goes_on(messages_[at]))
    ++at;
  insert(at, std::move(message));
}

void History::apply_snapshot(const Json& snapshot) {
  TextSet given;
  bool has_reasoning = false;
  bool has_activity = false;
  std::vector<Json> added;
  for (const auto& item : snapshot) {
    if (!item.is_object()) continue;
    std::string id = text_member(item, "id");
    has_reasoning = has_reasoning || is_reasoning(item);
    has_activity = has_activity || is_activity(item);
    given.insert(id);
    if (Json* known = find(id))
      *known = without_unknown_parts(item);
    else
      added.push_back(without_unknown_parts(item));
  }
  std::erase_if(messages_, [&](const Json& m) {
    bool kept = (is_reasoning(m) && !has_reasoning) || (is_activity(m) && !has_activity);
    return !kept && given.count(text_member(m, "id")) == 0;
  });
  std::move(added.begin(), added.end(), std::back_inserter(messages_));
  index();
}

void History::append_unknown(const Json& messages) {
  for (const auto& item : messages) {
    std::string id = item.is_object() ? text_member(item, "id") : "";
    if (id.empty() || find(id)) continue;
    insert(messages_.size(), item);
    if (item.contains("toolCalls")) index();
  }
}

void History::attribute(std::string_view message_id, std::string_view subagent) {
  if (Json* m = find(message_id)) (*m)["subagentRunId"] = subagent;
}

void History::merge_metadata(std::string_view message_id, const Json& metadata) {
  if (Json* m = find(message_id); m && metadata.is_object()) merge(*m, metadata);
}

void History::merge_call_metadata(std::string_view call_id, const Json& metadata) {
  if (Json* call = find_call(call_id); call && metadata.is_object()) merge(*call, metadata);
}

void History::encrypt(const Encrypted& secret) {
  Json* target = secret.of_call ? find_call(secret.entity) : find(secret.entity);
  if (!target) return;
  (*target)["encryptedValue"] = secret.value;
  if (!secret.type.empty()) (*target)["encryptedValueType"] = secret.type;
}

void History::set_activity(const Activity& activity, Json content) {
  if (!activity.replace && find(activity.id)) return;
  Json& m = message(activity.id, "activity");
  if (!is_activity(m)) return;
  m["activityType"] = activity.type;
  m["content"] = std::move(content);
}

bool History::patch_activity(std::string_view id, const Json& patch) {
  Json* m = find(id);
  if (!m || !is_activity(*m)) return true;
  return apply_patch((*m)["content"], patch);
}

void History::index() {
  places_.clear();
  calls_.clear();
  for (size_t i = 0; i < messages_.size(); ++i) {
    std::string id = text_member(messages_[i], "id");
    places_.emplace(id, i);  // of two with one id, the first is meant
    auto calls = messages_[i].find("toolCalls");
    if (calls == messages_[i].end() || !calls->is_array()) continue;
    for (size_t k = 0; k < calls->size(); ++k)
      if ((*calls)[k].is_object()) calls_.emplace(text_member((*calls)[k], "id"), CallPlace{id, k});
  }
}

Json History::to_json(Extent extent) const {
  size_t from = 0;
  if (extent == Extent::kLast)
    for (size_t i = 0; i < messages_.size(); ++i)
      if (text_member(messages_[i], "role") == "assistant") from = i + 1;
  // A conversation that ends with the assistant (no user message followed) is sent whole.
  if (from >= messages_.size()) from = 0;
  Json out = Json::array();
  for (size_t i = from; i < messages_.size(); ++i)
    if (is_sent(messages_[i])) out.push_back(messages_[i]);
  return out;
}

}  // namespace assay
