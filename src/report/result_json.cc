#include <chrono>
#include <cmath>

#include "report/reporters.h"

namespace assay {
namespace {

Json time_json(Time t) { return t == kNoTime ? Json() : Json(unix_ms(t)); }

Json usage_json(const std::optional<Usage>& usage) {
  if (!usage) return nullptr;
  Json out = Json::object();
  if (usage->input_tokens) out["input_tokens"] = *usage->input_tokens;
  if (usage->output_tokens) out["output_tokens"] = *usage->output_tokens;
  if (usage->total_tokens) out["total_tokens"] = *usage->total_tokens;
  return out;
}

void add_known(std::optional<int64_t>& sum, const std::optional<int64_t>& part) {
  if (part) sum = sum.value_or(0) + *part;
}

std::optional<Usage> total_usage(const Transcript& transcript) {
  std::optional<Usage> sum;
  for (const Turn& turn : transcript.turns) {
    if (!turn.usage) continue;
    if (!sum) sum.emplace();
    add_known(sum->input_tokens, turn.usage->input_tokens);
    add_known(sum->output_tokens, turn.usage->output_tokens);
    add_known(sum->total_tokens, turn.usage->total_tokens);
  }
  return sum;
}

Json check_json(const CheckResult& check) {
  Json out = Json::object();
  out["type"] = check.type;
  if (!check.name.empty()) out["name"] = check.name;
  out["passed"] = check.passed;
  if (check.optional) out["optional"] = true;
  if (check.turn > 0) out["turn"] = check.turn;
  out["expected"] = check.expected;
  out["actual"] = check.actual;
  out["message"] = check.message;
  Json& source = out["source"];
  if (!check.source.file.empty())
    source = {{"file", check.source.file}, {"line", check.source.line}, {"column", check.source.column}};
  return out;
}

Json call_json(const ToolCall& call) {
  Json out = Json::object();
  out["id"] = call.id;
  out["name"] = call.name;
  out["arguments"] = call.arguments;
  if (call.arguments_text) out["arguments_text"] = *call.arguments_text;
  out["result"] = call.result.value_or(Json());
  if (!call.result_parts.is_null()) out["result_parts"] = call.result_parts;
  if (call.error) out["error"] = *call.error;
  out["start_ts"] = time_json(call.start);
  out["end_ts"] = time_json(call.end);
  out["result_ts"] = time_json(call.result_at);
  return out;
}

Json violation_json(const Violation& violation) {
  return {{"rule", violation.rule},
          {"severity", violation.severity == Severity::kError ? "error" : "warning"},
          {"event", violation.event},
          {"message", violation.message}};
}

Json hook_json(const HookReport& hook) {
  Json out = {{"command", hook.command}, {"teardown", hook.teardown}, {"ok", hook.ok}};
  if (!hook.error.empty()) out["error"] = hook.error;
  out["duration_ms"] = std::llround(to_ms(hook.duration));
  return out;
}

template <class T, class ToJson>
Json array_json(const std::vector<T>& items, ToJson to_json) {
  Json out = Json::array();
  for (const T& item : items)
    out.push_back(to_json(item));
  return out;
}

Json subagent_json(const Subagent& subagent) {
  Json out = {{"id", subagent.id}, {"name", subagent.name}};
  if (!subagent.outcome.empty()) out["outcome"] = subagent.outcome;
  if (!subagent.error.empty()) out["error"] = subagent.error;
  return out;
}

Json turn_json(const Turn& turn) {
  Json out = Json::object();
  out["turn"] = turn.number;
  out["input"] = turn.input;
  out["output"] = turn.text();
  out["text"] = out["output"];
  out["final_text"] = turn.final_text();
  out["outcome"] = outcome_name(turn.outcome);
  if (!turn.error.empty()) out["error"] = turn.error;
  out["tool_calls"] = array_json(turn.tool_calls, call_json);
  out["state"] = turn.state.value_or(Json());
  out["usage"] = usage_json(turn.usage);
  if (!turn.interrupts.empty()) out["interrupts"] = turn.interrupts;
  if (!turn.steps.empty()) out["steps"] = turn.steps;
  if (!turn.reasoning.empty()) out["reasoning"] = turn.reasoning;
  if (!turn.custom.empty()) out["custom"] = turn.custom;
  if (!turn.activities.empty()) out["activities"] = turn.activities;
  if (!turn.subagents.empty()) out["subagents"] = array_json(turn.subagents, subagent_json);
  out["violations"] = array_json(turn.violations, violation_json);
  out["start_ts"] = time_json(turn.start);
  out["end_ts"] = time_json(turn.end);
  bool timed = turn.start != kNoTime && turn.end != kNoTime;
  out["duration_ms"] = timed ? unix_ms(turn.end) - unix_ms(turn.start) : 0;
  return out;
}

Json all_calls(const Json& turns) {
  Json out = Json::array();
  for (const Json& turn : turns)
    for (const Json& call : turn["tool_calls"])
      out.push_back(call);
  return out;
}

}  // namespace

Json result_json(const CaseResult& result, const Redactor& redactor) {
  const auto& turns = result.transcript.turns;
  Json out = Json::object();
  out["index"] = result.index;
  out["id"] = result.id;
  out["name"] = result.name;
  out["file"] = result.file;
  out["line"] = result.line;
  out["tags"] = result.tags;
  out["status"] = status_name(result.status);
  out["duration_ms"] = std::llround(to_ms(result.duration));
  out["input"] = turns.empty() ? Json() : turns.front().input;
  out["output"] = turns.empty() ? std::string() : turns.back().text();
  out["expected"] = nullptr;
  if (!result.error.empty()) out["error"] = result.error;
  out["messages_count"] = result.messages_count;
  out["checks"] = array_json(result.checks, check_json);
  out["assertions"] = out["checks"];
  out["turns"] = array_json(turns, turn_json);
  out["tool_calls"] = all_calls(out["turns"]);
  out["usage"] = usage_json(total_usage(result.transcript));
  out["attempts"] = Json::array();
  if (!result.hooks.empty()) out["hooks"] = array_json(result.hooks, hook_json);
  redactor.apply_to_strings(out);
  return out;
}

}  // namespace assay
