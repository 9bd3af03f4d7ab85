#include "agent/collector.h"

#include <fmt/format.h>

#include <array>

#include "agent/patch.h"

namespace assay {
namespace {

using simdjson::dom::element;

std::string text_member(const Json& object, std::string_view key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// Text parts of a content list, concatenated.
std::string text_of_parts(const Json& parts) {
  std::string out;
  for (const auto& part : parts)
    if (part.is_object() && text_member(part, "type") == "text") out += text_member(part, "text");
  return out;
}

std::string text_of_content(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  return content.is_array() ? text_of_parts(content) : std::string();
}

Json parsed_or_text(const std::string& text) {
  auto value = parse_json(text);
  return value ? std::move(*value) : Json(text);
}

constexpr double kMostTokens = 9e15;  // a double counts exactly up to here; more is no count

void add_up(std::optional<int64_t>& sum, const Json& entry, std::string_view key) {
  auto it = entry.find(key);
  if (it == entry.end() || !it->is_number() || it->get<double>() < 0) return;
  double total = static_cast<double>(sum.value_or(0)) + it->get<double>();
  if (total < kMostTokens) sum = static_cast<int64_t>(total);
}

}  // namespace

Collector::Handler Collector::handler(EventType type) {
  static const auto table = [] {
    std::array<Handler, static_cast<size_t>(EventType::kUnknown) + 1> out{};
    auto set = [&](EventType t, Handler h) { out[static_cast<size_t>(t)] = h; };
    set(EventType::kRunStarted, &Collector::on_run_started);
    set(EventType::kRunFinished, &Collector::on_run_finished);
    set(EventType::kRunError, &Collector::on_run_error);
    set(EventType::kStepStarted, &Collector::on_step_started);
    set(EventType::kTextStart, &Collector::on_text_start);
    set(EventType::kTextContent, &Collector::on_text_content);
    set(EventType::kTextChunk, &Collector::on_text_chunk);
    set(EventType::kToolStart, &Collector::on_tool_start);
    set(EventType::kToolArgs, &Collector::on_tool_args);
    set(EventType::kToolEnd, &Collector::on_tool_end);
    set(EventType::kToolChunk, &Collector::on_tool_chunk);
    set(EventType::kToolResult, &Collector::on_tool_result);
    set(EventType::kStateSnapshot, &Collector::on_state_snapshot);
    set(EventType::kStateDelta, &Collector::on_state_delta);
    set(EventType::kMessagesSnapshot, &Collector::on_messages_snapshot);
    set(EventType::kReasoningMessageStart, &Collector::on_reasoning);
    set(EventType::kReasoningMessageContent, &Collector::on_reasoning);
    set(EventType::kReasoningMessageChunk, &Collector::on_reasoning);
    set(EventType::kThinkingTextContent, &Collector::on_reasoning);
    set(EventType::kCustom, &Collector::on_custom);
    return out;
  }();
  return table[static_cast<size_t>(type)];
}

void Collector::begin_turn(Json input, std::string message_id, Time at) {
  message_places_.clear();
  raw_arguments_.clear();
  reasoning_places_.clear();
  chunk_message_.clear();
  chunk_call_.clear();
  chunk_reasoning_.clear();
  earlier_.clear();
  for (const auto& message : history_.messages())
    earlier_.insert(text_member(message, "id"));
  run_ = {};
  last_event_ = kNoTime;
  Turn turn;
  turn.number = static_cast<int>(transcript_.turns.size()) + 1;
  turn.start = at;
  turn.end = at;
  if (!message_id.empty()) history_.add_user(std::move(message_id), input);
  turn.input = std::move(input);
  transcript_.turns.push_back(std::move(turn));
}

void Collector::add(const AguiEvent& event, Time at) {
  ++turn().events;
  last_event_ = at;
  if (Handler h = handler(event.type)) (this->*h)(event, at);
}

std::optional<Json> Collector::json(const AguiEvent& event, FieldId field) {
  if (!event.has(field)) return std::nullopt;
  auto value = decoder_.value(event.at(field));
  if (value) return std::move(*value);
  limit_ = value.error().message;
  return std::nullopt;
}

// --- runs

void Collector::on_run_started(const AguiEvent&, Time) {
  run_ = {};
  turn().interrupts = Json::array();
  chunk_message_.clear();
  chunk_call_.clear();
}

void Collector::on_run_finished(const AguiEvent& e, Time) {
  run_.finished = true;
  add_usage(e);
  auto outcome = json(e, FieldId::kOutcome);
  if (!outcome || !outcome->is_object()) return;
  std::string type = text_member(*outcome, "type");
  if (type == "interrupt") {
    run_.outcome = Outcome::kInterrupt;
    if (auto interrupts = outcome->find("interrupts"); interrupts != outcome->end() && interrupts->is_array())
      turn().interrupts = *interrupts;
  }
  if (type == "cancelled") {
    run_.outcome = Outcome::kCancelled;
    run_.error = "the agent reported that the run was cancelled";
  }
}

void Collector::on_run_error(const AguiEvent& e, Time) {
  add_usage(e);
  std::string_view message = e.text(FieldId::kMessage);
  if (message.empty()) message = e.text(FieldId::kError);
  std::string_view code = e.text(FieldId::kCode);
  run_.failed = true;
  run_.error = std::string(message.empty() ? "no message" : message);
  if (!code.empty()) run_.error += fmt::format(" (code {})", code);
}

void Collector::add_usage(const AguiEvent& e) {
  auto usage = json(e, FieldId::kUsage);
  if (!usage || !usage->is_array() || usage->empty()) return;
  Usage& sum = turn().usage ? *turn().usage : turn().usage.emplace();
  for (const auto& entry : *usage) {
    if (!entry.is_object()) continue;
    add_up(sum.input_tokens, entry, "inputTokens");
    add_up(sum.output_tokens, entry, "outputTokens");
    if (entry.contains("totalTokens")) {
      add_up(sum.total_tokens, entry, "totalTokens");
    } else {
      add_up(sum.total_tokens, entry, "inputTokens");
      add_up(sum.total_tokens, entry, "outputTokens");
    }
  }
}

Collector::Verdict Collector::end_run() {
  finish_arguments();
  if (run_.failed) return {Outcome::kRunError, run_.error};
  if (run_.finished) return {run_.outcome, run_.error};
  if (turn().events == 0) return {Outcome::kEmpty, {}};
  return {Outcome::kTruncated, {}};
}

void Collector::end_turn(Outcome outcome, std::string error, Time at) {
  finish_arguments();
  turn().outcome = outcome;
  turn().error = std::move(error);
  turn().end = std::max(at, turn().start);
  turn().state = state_;
}

void Collector::on_step_started(const AguiEvent& e, Time) { turn().steps.emplace_back(e.text(FieldId::kStepName)); }

// --- text

Message& Collector::text_message(std::string_view id) {
  auto [place, fresh] = message_places_.emplace(id, turn().messages.size());
  if (fresh) turn().messages.push_back({std::string(id), {}});
  return turn().messages[place->second];
}

void Collector::append_text(std::string_view id, std::string_view delta, Time at) {
  auto known = message_places_.find(id);
  if (known == message_places_.end() && history_.may_be_assistant(id)) {
    history_.open_text(id, "assistant", {});  // content without a start is still text
    text_message(id);
    known = message_places_.find(id);
  }
  history_.append_text(id, delta);
  if (known == message_places_.end()) return;  // a message of another role
  turn().messages[known->second].text += delta;
  if (!delta.empty() && turn().first_text == kNoTime) turn().first_text = at;
}

void Collector::on_text_start(const AguiEvent& e, Time) {
  std::string_view role = e.text(FieldId::kRole);
  std::string_view id = e.text(FieldId::kMessageId);
  history_.open_text(id, role, e.text(FieldId::kName));
  if (role.empty() || role == "assistant") text_message(id);
}

void Collector::on_text_content(const AguiEvent& e, Time at) {
  append_text(e.text(FieldId::kMessageId), e.text(FieldId::kDelta), at);
}

void Collector::on_text_chunk(const AguiEvent& e, Time at) {
  std::string_view id = e.text(FieldId::kMessageId);
  if (!id.empty()) chunk_message_ = id;
  if (chunk_message_.empty()) chunk_message_ = fmt::format("assay-message-{}", ++minted_);
  if (!message_places_.contains(chunk_message_) && history_.may_be_assistant(chunk_message_)) {
    std::string_view role = e.text(FieldId::kRole);
    history_.open_text(chunk_message_, role, e.text(FieldId::kName));
    if (role.empty() || role == "assistant") text_message(chunk_message_);
  }
  append_text(chunk_message_, e.text(FieldId::kDelta), at);
}

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

void Collector::on_tool_start(const AguiEvent& e, Time at) {
  open_call(e.text(FieldId::kToolCallId), e.text(FieldId::kToolCallName), e.text(FieldId::kParentMessageId), at);
}

void Collector::on_tool_args(const AguiEvent& e, Time at) {
  std::string_view id = e.text(FieldId::kToolCallId);
  ToolCall* known = find_call(id);
  if (known && !is_of_this_turn(id)) return;  // those of an earlier turn are complete
  append_arguments(known ? *known : open_call(id, {}, {}, at), e.text(FieldId::kDelta));
}

void Collector::on_tool_end(const AguiEvent& e, Time at) {
  if (ToolCall* call = find_call(e.text(FieldId::kToolCallId))) call->end = at;
}

void Collector::on_tool_chunk(const AguiEvent& e, Time at) {
  std::string_view id = e.text(FieldId::kToolCallId);
  if (!id.empty()) chunk_call_ = id;
  if (chunk_call_.empty()) chunk_call_ = fmt::format("assay-call-{}", ++minted_);
  ToolCall* known = is_of_this_turn(chunk_call_) ? find_call(chunk_call_) : nullptr;
  ToolCall& call = known ? *known : open_call(chunk_call_, e.text(FieldId::kToolCallName), e.text(FieldId::kParentMessageId), at);
  if (e.has(FieldId::kDelta)) append_arguments(call, e.text(FieldId::kDelta));
  call.end = at;
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
  if (ToolCall* call = find_call(id)) set_result(*call, *content, at);
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
    ToolCall* call = find_call(text_member(message, "toolCallId"));
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
  auto calls = message.find("toolCalls");
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

// --- the rest

std::string& Collector::reasoning(std::string_view id) {
  auto [place, fresh] = reasoning_places_.emplace(id, turn().reasoning.size());
  if (fresh) turn().reasoning.emplace_back();
  return turn().reasoning[place->second];
}

void Collector::on_reasoning(const AguiEvent& e, Time) {
  std::string_view id = e.text(FieldId::kMessageId);
  if (!id.empty()) chunk_reasoning_ = id;
  std::string_view key = chunk_reasoning_.empty() ? std::string_view("thinking") : std::string_view(chunk_reasoning_);
  reasoning(key) += e.text(FieldId::kDelta);
  if (chunk_reasoning_.empty()) return;
  history_.open_text(key, "reasoning", {});
  history_.append_text(key, e.text(FieldId::kDelta));
}

void Collector::on_custom(const AguiEvent& e, Time) {
  auto value = json(e, FieldId::kValue);
  turn().custom.push_back({{"name", e.text(FieldId::kName)}, {"value", value.value_or(nullptr)}});
}

}  // namespace assay
