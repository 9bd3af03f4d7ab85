#include "agent/history.h"

#include <algorithm>

namespace assay {
namespace {

std::string text_member(const Json& object, std::string_view key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

bool is_reasoning(const Json& message) { return text_member(message, "role") == "reasoning"; }

// Activity is for the screen only: it is never sent back.
bool is_sent(const Json& message) { return text_member(message, "role") != "activity"; }

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
Json* History::find_function(std::string_view call_id) {
  auto known = calls_.find(call_id);
  Json* owner = known == calls_.end() ? nullptr : find(known->second.owner);
  if (!owner) return nullptr;
  auto calls = owner->find("toolCalls");
  if (calls == owner->end() || !calls->is_array() || calls->size() <= known->second.index) return nullptr;
  Json& call = (*calls)[known->second.index];
  auto function = call.find("function");
  return function == call.end() || !function->is_object() ? nullptr : &*function;
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
  messages_.insert(messages_.begin() + static_cast<std::ptrdiff_t>(at), std::move(result));
  if (at + 1 == messages_.size())
    places_.emplace(message_id, at);
  else
    index();
}

void History::apply_snapshot(const Json& snapshot) {
  TextSet given;
  bool has_reasoning = false;
  std::vector<Json> added;
  for (const auto& item : snapshot) {
    if (!item.is_object()) continue;
    std::string id = text_member(item, "id");
    has_reasoning = has_reasoning || is_reasoning(item);
    given.insert(id);
    if (Json* known = find(id))
      *known = item;
    else
      added.push_back(item);
  }
  std::erase_if(messages_, [&](const Json& m) {
    bool kept = given.count(text_member(m, "id")) > 0 || (is_reasoning(m) && !has_reasoning);
    return !kept;
  });
  std::move(added.begin(), added.end(), std::back_inserter(messages_));
  index();
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
