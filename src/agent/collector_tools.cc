// Tool calls, the state, and snapshots of whole conversations.
#include <fmt/format.h>

#include "agent/collector.h"
#include "agent/content.h"
#include "agent/patch.h"

namespace assay {

// --- tools

ToolCall* Collector::find_call(std::string_view id) {
  auto it = calls_.find(id);
  return it == calls_.end() ? nullptr : &transcript_.turns[it->second.turn].tool_calls[it->second.index];
}

bool Collector::is_of_this_turn(std::string_view call_id) const {
  auto it = calls_.find(call_id);
  return it != calls_.end() && it->second.turn + 1 == transcript_.turns.size();
}

ToolCall& Collector::open_call(std::string_view id, std::string_view name, std::string_view parent, Time at) {
  history_.open_call(id, name, parent);
  if (is_of_this_turn(id)) {
    ToolCall& known = *find_call(id);
    if (!name.empty()) known.name = name;
    return known;
  }
  // Some servers count their calls anew in each turn: the same id is another call then.
  calls_.insert_or_assign(std::string(id), CallRef{transcript_.turns.size() - 1, turn().tool_calls.size()});
  ToolCall call;
  call.id = id;
  call.name = name;
  call.start = at;
  turn().tool_calls.push_back(std::move(call));
  raw_arguments_.emplace_back();
  return turn().tool_calls.back();
}

void Collector::append_arguments(ToolCall& call, std::string_view delta) {
  history_.append_arguments(call.id, delta);
  raw_arguments_[static_cast<size_t>(&call - turn().tool_calls.data())] += delta;
}

void Collector::take_call_metadata(std::string_view call_id, const AguiEvent& e) {
  if (auto metadata = json(e, FieldId::kMetadata)) history_.merge_call_metadata(call_id, *metadata);
}

void Collector::on_tool_start(const AguiEvent& e, Time at) {
  std::string_view id = e.text(FieldId::kToolCallId);
  open_call(id, e.text(FieldId::kToolCallName), e.text(FieldId::kParentMessageId), at);
  take_call_metadata(id, e);
}

void Collector::on_tool_args(const AguiEvent& e, Time at) {
  std::string_view id = e.text(FieldId::kToolCallId);
  ToolCall* known = find_call(id);
  if (known && !is_of_this_turn(id)) return;  // those of an earlier turn are complete
  append_arguments(known ? *known : open_call(id, {}, {}, at), e.text(FieldId::kDelta));
  take_call_metadata(id, e);
}

void Collector::on_tool_end(const AguiEvent& e, Time at) {
  std::string_view id = e.text(FieldId::kToolCallId);
  if (is_of_this_turn(id)) find_call(id)->end = at;
  take_call_metadata(id, e);
}

void Collector::on_tool_chunk(const AguiEvent& e, Time at) {
  const std::string& id = chunk_key(chunk_call_, e, FieldId::kToolCallId);
  ToolCall* known = is_of_this_turn(id) ? find_call(id) : nullptr;
  ToolCall& call = known ? *known : open_call(id, e.text(FieldId::kToolCallName), e.text(FieldId::kParentMessageId), at);
  if (e.has(FieldId::kDelta)) append_arguments(call, e.text(FieldId::kDelta));
  call.end = at;
  take_call_metadata(id, e);
}

void Collector::set_result(ToolCall& call, const Json& content, Time at) {
  if (call.result) return;  // results count once
  if (content.is_array()) call.result_parts = content;
  bool readable = content.is_string() || content.is_array();
  call.result = readable ? parsed_or_text(text_of_content(content)) : content;
  call.result_at = at;
  if (call.end == kNoTime) call.end = at;
}

void Collector::on_tool_result(const AguiEvent& e, Time at) {
  auto content = json(e, FieldId::kContent);
  if (!content) content = json(e, FieldId::kResult);
  std::string_view id = e.text(FieldId::kToolCallId);
  if (!content) return;
  std::string message_id(e.text(FieldId::kMessageId));
  if (message_id.empty()) message_id = fmt::format("assay-result-{}", ++minted_);
  bool sendable = content->is_string() || content->is_array();
  history_.add_result(message_id, id, sendable ? *content : Json(to_compact(*content)));
  take_tags(message_id, e);
  if (ToolCall* call = find_call(id)) set_result(*call, *content, at);
}

void Collector::answer_call(std::string_view call_id, std::string message_id, const ToolReply& reply, Time at) {
  Json content = reply.value.is_string() ? reply.value : Json(to_compact(reply.value));
  Json message = {{"id", std::move(message_id)}, {"role", "tool"}, {"content", content}, {"toolCallId", call_id}};
  if (reply.error) message["error"] = *reply.error;
  history_.add_answer(std::move(message));
  ToolCall* call = find_call(call_id);
  if (!call) return;
  set_result(*call, content, at);
  call->error = reply.error;
}

void Collector::finish_arguments() {
  for (size_t i = 0; i < raw_arguments_.size(); ++i) {
    const std::string& text = raw_arguments_[i];
    if (text.empty()) continue;
    ToolCall& call = turn().tool_calls[i];
    auto value = parse_json(text);
    call.arguments = value ? std::move(*value) : Json(nullptr);
    call.arguments_text = value ? std::nullopt : std::optional(text);
  }
}

// --- state and snapshots

void Collector::on_state_snapshot(const AguiEvent& e, Time) {
  if (auto snapshot = json(e, FieldId::kSnapshot)) state_ = std::move(snapshot);
}

void Collector::on_state_delta(const AguiEvent& e, Time) {
  auto delta = json(e, FieldId::kDelta);
  if (!delta) return;
  Json target = state_.value_or(Json::object());
  if (apply_patch(target, *delta))
    state_ = std::move(target);
  else
    ++refused_patches_;
}

std::vector<std::string> Collector::unreadable_arguments() const {
  std::vector<std::string> out;
  for (const auto& call : turn().tool_calls)
    if (call.arguments_text) out.push_back(call.id);
  return out;
}

void Collector::take_snapshot_message(const Json& message, bool counts, Time at) {
  std::string role = text_member(message, "role");
  if (role == "tool") {
    ToolCall* call = find_call(text_member(message, message.contains("toolCallId") ? "toolCallId" : "tool_call_id"));
    if (!call) return;
    if (message.contains("content")) set_result(*call, message["content"], at);
    if (message.contains("error") && message["error"].is_string()) call->error = message["error"];
    return;
  }
  if (role != "assistant") return;
  std::string id = text_member(message, "id");
  std::string text = message.contains("content") ? text_of_content(message["content"]) : "";
  bool of_this_turn = message_places_.count(id) > 0;
  if (of_this_turn || (counts && earlier_.count(id) == 0)) {
    text_message(id).text = text;
    if (!text.empty() && turn().first_text == kNoTime) turn().first_text = at;
  }
  auto calls = message.find(message.contains("toolCalls") ? "toolCalls" : "tool_calls");
  if (calls == message.end() || !calls->is_array() || !counts) return;
  for (const auto& item : *calls) {
    if (!item.is_object() || find_call(text_member(item, "id"))) continue;
    Json function = item.value("function", Json::object());
    if (!function.is_object()) continue;
    ToolCall& call = open_call(text_member(item, "id"), text_member(function, "name"), id, at);
    raw_arguments_.back() = text_member(function, "arguments");
    call.end = at;
  }
}

void Collector::on_messages_snapshot(const AguiEvent& e, Time at) {
  auto messages = json(e, FieldId::kMessages);
  if (!messages || !messages->is_array()) return;
  size_t last_user = 0;
  bool any_user = false;
  for (size_t i = 0; i < messages->size(); ++i)
    if ((*messages)[i].is_object() && text_member((*messages)[i], "role") == "user") last_user = i, any_user = true;
  for (size_t i = 0; i < messages->size(); ++i)
    if ((*messages)[i].is_object()) take_snapshot_message((*messages)[i], !any_user || i > last_user, at);
  history_.apply_snapshot(*messages);
}

}  // namespace assay
