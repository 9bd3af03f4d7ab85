#include "agent/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/content.h"
#include "agent/patch.h"

namespace assay {
namespace {

using simdjson::dom::element;

constexpr double kMostTokens = 9e15;  // a double counts exactly up to here; more is no count

// A count by its name, or by the one that hand-written servers give it. False: neither is there.
bool add_up(std::optional<int64_t>& sum, const Json& entry, std::string_view key, std::string_view wrong) {
  auto it = entry.find(key);
  if (it == entry.end()) it = entry.find(wrong);
  if (it == entry.end() || !it->is_number() || it->get<double>() < 0) return false;
  double total = static_cast<double>(sum.value_or(0)) + it->get<double>();
  if (total < kMostTokens) sum = static_cast<int64_t>(total);
  return true;
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
    set(EventType::kTextEnd, &Collector::on_text_end);
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
    set(EventType::kThinkingTextStart, &Collector::on_thinking_start);
    set(EventType::kThinkingTextContent, &Collector::on_thinking);
    set(EventType::kReasoningEncryptedValue, &Collector::on_encrypted);
    set(EventType::kActivitySnapshot, &Collector::on_activity_snapshot);
    set(EventType::kActivityDelta, &Collector::on_activity_delta);
    set(EventType::kSubagentStarted, &Collector::on_subagent_started);
    set(EventType::kSubagentFinished, &Collector::on_subagent_ended);
    set(EventType::kSubagentError, &Collector::on_subagent_ended);
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
  thinking_.clear();
  earlier_.clear();
  for (const auto& message : history_.messages())
    earlier_.insert(text_member(message, "id"));
  begin_round();
  last_event_ = kNoTime;
  Turn turn;
  turn.number = static_cast<int>(transcript_.turns.size()) + 1;
  turn.start = at;
  turn.end = at;
  if (!message_id.empty()) history_.add_user(std::move(message_id), input);
  turn.input = std::move(input);
  transcript_.turns.push_back(std::move(turn));
}

void Collector::begin_round() {
  run_ = {};
  events_of_round_ = 0;
  chunk_message_.clear();
  chunk_call_.clear();
  chunk_reasoning_.clear();
}

void Collector::add(const AguiEvent& event, Time at) {
  ++turn().events;
  ++events_of_round_;
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

void Collector::on_run_started(const AguiEvent& e, Time) {
  run_ = {};
  turn().interrupts = Json::array();
  turn().legacy_interrupt = false;
  if (auto input = json(e, FieldId::kInput); input && input->is_object() && input->contains("messages"))
    history_.append_unknown((*input)["messages"]);
  chunk_message_.clear();
  chunk_call_.clear();
}

void Collector::on_run_finished(const AguiEvent& e, Time) {
  run_.finished = true;
  if (turn().legacy_interrupt) run_.outcome = Outcome::kInterrupt;
  add_usage(e);
  auto outcome = json(e, FieldId::kOutcome);
  if (!outcome || !outcome->is_object()) return;
  std::string type = text_member(*outcome, "type");
  if (type == "interrupt") {
    run_.outcome = Outcome::kInterrupt;
    turn().legacy_interrupt = false;
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
    bool has_total = add_up(sum.total_tokens, entry, "totalTokens", "total_tokens");
    for (auto [part, key, wrong] : {std::tuple(&sum.input_tokens, "inputTokens", "input_tokens"),
                                    std::tuple(&sum.output_tokens, "outputTokens", "output_tokens")}) {
      add_up(*part, entry, key, wrong);
      if (!has_total) add_up(sum.total_tokens, entry, key, wrong);
    }
  }
}

Collector::Verdict Collector::end_run() {
  finish_arguments();
  if (run_.failed) return {Outcome::kRunError, run_.error};
  if (run_.finished) return {run_.outcome, run_.error};
  if (events_of_round_ == 0) return {Outcome::kEmpty, {}};
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

// What an event says of its message beside the text.
void Collector::take_tags(std::string_view message_id, const AguiEvent& e) {
  if (e.is_text(FieldId::kSubagentRunId)) history_.attribute(message_id, e.text(FieldId::kSubagentRunId));
  if (auto metadata = json(e, FieldId::kMetadata)) history_.merge_metadata(message_id, *metadata);
}

void Collector::on_text_start(const AguiEvent& e, Time) {
  std::string_view role = e.text(FieldId::kRole);
  std::string_view id = e.text(FieldId::kMessageId);
  history_.open_text(id, role, e.text(FieldId::kName));
  if (role.empty() || role == "assistant") text_message(id);
  take_tags(id, e);
}

void Collector::on_text_content(const AguiEvent& e, Time at) {
  append_text(e.text(FieldId::kMessageId), e.text(FieldId::kDelta), at);
  take_tags(e.text(FieldId::kMessageId), e);
}

void Collector::on_text_end(const AguiEvent& e, Time) { take_tags(e.text(FieldId::kMessageId), e); }

// The id of an item that comes in chunks: its own, else that of its lane, else the only one there is.
const std::string& Collector::chunk_key(TextMap<std::string>& open, const AguiEvent& e, FieldId id) {
  std::string_view lane = e.text(FieldId::kSubagentRunId);
  if (std::string_view own = e.text(id); !own.empty())
    return open.insert_or_assign(std::string(lane), std::string(own)).first->second;
  if (auto known = open.find(lane); known != open.end()) return known->second;
  if (lane.empty() && open.size() == 1) return open.begin()->second;
  return open.emplace(lane, fmt::format("assay-item-{}", ++minted_)).first->second;
}

void Collector::on_text_chunk(const AguiEvent& e, Time at) {
  const std::string& id = chunk_key(chunk_message_, e, FieldId::kMessageId);
  if (!message_places_.contains(id) && history_.may_be_assistant(id)) {
    std::string_view role = e.text(FieldId::kRole);
    history_.open_text(id, role, e.text(FieldId::kName));
    if (role.empty() || role == "assistant") text_message(id);
  }
  append_text(id, e.text(FieldId::kDelta), at);
  take_tags(id, e);
}

// --- the rest

std::string& Collector::reasoning(std::string_view id) {
  auto [place, fresh] = reasoning_places_.emplace(id, turn().reasoning.size());
  if (fresh) turn().reasoning.emplace_back();
  return turn().reasoning[place->second];
}

void Collector::on_reasoning(const AguiEvent& e, Time) {
  const std::string& id = chunk_key(chunk_reasoning_, e, FieldId::kMessageId);
  reasoning(id) += e.text(FieldId::kDelta);
  history_.open_text(id, "reasoning", {});
  history_.append_text(id, e.text(FieldId::kDelta));
  take_tags(id, e);
}

// The deprecated form has no ids: each start is another message.
void Collector::on_thinking_start(const AguiEvent&, Time) { thinking_ = fmt::format("assay-thinking-{}", ++minted_); }

void Collector::on_thinking(const AguiEvent& e, Time at) {
  if (thinking_.empty()) on_thinking_start(e, at);
  reasoning(thinking_) += e.text(FieldId::kDelta);
  history_.open_text(thinking_, "reasoning", {});
  history_.append_text(thinking_, e.text(FieldId::kDelta));
}

void Collector::on_encrypted(const AguiEvent& e, Time) {
  bool of_call = e.text("subtype") == "tool-call";
  history_.encrypt({e.text("entityId"), e.text("encryptedValue"), e.text("encryptedValueType"), of_call});
}

Json* Collector::find_activity(std::string_view id) {
  auto& all = turn().activities;
  auto it = std::find_if(all.begin(), all.end(), [&](const Json& a) { return text_member(a, "id") == id; });
  return it == all.end() ? nullptr : &*it;
}

void Collector::on_activity_snapshot(const AguiEvent& e, Time) {
  auto content = json(e, FieldId::kContent);
  if (!content) return;
  bool replace = true;
  if (e.object["replace"].get(replace) != simdjson::SUCCESS) replace = true;
  std::string_view id = e.text(FieldId::kMessageId);
  history_.set_activity({id, e.text("activityType"), replace}, *content);
  Json* known = find_activity(id);
  if (known && !replace) return;
  Json activity = {{"id", id}, {"type", e.text("activityType")}, {"content", std::move(*content)}};
  if (known)
    *known = std::move(activity);
  else
    turn().activities.push_back(std::move(activity));
}

void Collector::on_activity_delta(const AguiEvent& e, Time) {
  simdjson::dom::element element;
  if (e.object["patch"].get(element) != simdjson::SUCCESS) return;
  auto patch = decoder_.value(element);
  if (!patch) return void(limit_ = patch.error().message);
  std::string_view id = e.text(FieldId::kMessageId);
  if (!history_.patch_activity(id, *patch)) ++refused_patches_;
  if (Json* known = find_activity(id)) apply_patch((*known)["content"], *patch);
}

void Collector::on_subagent_started(const AguiEvent& e, Time) {
  turn().subagents.push_back({std::string(e.text(FieldId::kSubagentRunId)), std::string(e.text(FieldId::kName)), {}, {}});
}

void Collector::on_subagent_ended(const AguiEvent& e, Time) {
  std::string_view id = e.text(FieldId::kSubagentRunId);
  auto& all = turn().subagents;
  auto known = std::find_if(all.begin(), all.end(), [&](const Subagent& s) { return s.id == id; });
  if (known == all.end()) return;
  std::string_view outcome = "success";
  if (e.type == EventType::kSubagentError)
    outcome = "error", known->error = e.text(FieldId::kMessage);
  else if (e.object["outcome"]["type"].get(outcome) != simdjson::SUCCESS)
    outcome = "success";
  known->outcome = outcome;
}

// LangGraph's way before outcomes: the value is JSON in a string, and the run then simply finishes.
void Collector::on_legacy_interrupt(const AguiEvent& e) {
  auto value = json(e, FieldId::kValue);
  if (!value) return;
  Json shown = value->is_string() ? parsed_or_text(value->get<std::string>()) : *value;
  turn().legacy_interrupt = true;
  turn().interrupts.push_back({{"id", fmt::format("on_interrupt-{}", turn().interrupts.size() + 1)},
                               {"reason", "langgraph:interrupt"},
                               {"metadata", {{"value", std::move(shown)}}}});
}

void Collector::on_custom(const AguiEvent& e, Time) {
  auto value = json(e, FieldId::kValue);
  turn().custom.push_back({{"name", e.text(FieldId::kName)}, {"value", value.value_or(nullptr)}});
  if (e.text(FieldId::kName) == "on_interrupt") on_legacy_interrupt(e);
}

}  // namespace assay
