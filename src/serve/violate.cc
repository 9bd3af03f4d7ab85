#include "serve/violate.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace assay {
namespace {

using B = Breach;

constexpr std::string_view kRunStarted = "RUN_STARTED";
constexpr std::string_view kRunFinished = "RUN_FINISHED";
constexpr std::string_view kRunError = "RUN_ERROR";
constexpr std::string_view kTerminal = "the terminal event";

// What is added is harmless but for the rule: no text, and ids of its own.
constexpr Breach kBreaches[] = {
    {"not-json", B::kEnd, R"({"type":"CUSTOM", oops)"},
    {"not-object", B::kEnd, R"(["an","event?"])"},
    {"no-type", B::kEnd, R"({"name":"nameless","value":1})"},
    {"schema", B::kEnd, R"({"type":"STEP_STARTED","step_name":"violation"}
{"type":"STEP_FINISHED","step_name":"violation"})"},
    {"first-event", B::kFront, R"({"type":"CUSTOM","name":"run.accepted","value":{}})"},
    {"nested-run", B::kBegin, R"({"type":"RUN_STARTED","threadId":"{{threadId}}","runId":"{{runId}}"})"},
    {"after-error", B::kEnd, R"({"type":"RUN_ERROR","message":"a failure that is not the end"})"},
    {"after-finished", B::kBehind, R"({"type":"CUSTOM","name":"late","value":1})"},
    {"open-at-finish", B::kEnd, R"({"type":"STEP_STARTED","stepName":"violation"})"},
    {"text-dup-start", B::kRepeat, R"({"type":"TEXT_MESSAGE_START","messageId":"v-{{runId}}","role":"assistant"}
{"type":"TEXT_MESSAGE_START","messageId":"v-{{runId}}","role":"assistant"}
{"type":"TEXT_MESSAGE_END","messageId":"v-{{runId}}"})",
     "TEXT_MESSAGE_START"},
    {"text-content-unopened", B::kEnd, R"({"type":"TEXT_MESSAGE_CONTENT","messageId":"v-{{runId}}","delta":""})"},
    {"text-end-unopened", B::kEnd, R"({"type":"TEXT_MESSAGE_END","messageId":"v-{{runId}}"})"},
    {"tool-dup-start", B::kRepeat, R"({"type":"TOOL_CALL_START","toolCallId":"v-{{runId}}","toolCallName":"violation"}
{"type":"TOOL_CALL_START","toolCallId":"v-{{runId}}","toolCallName":"violation"}
{"type":"TOOL_CALL_ARGS","toolCallId":"v-{{runId}}","delta":"{}"}
{"type":"TOOL_CALL_END","toolCallId":"v-{{runId}}"})",
     "TOOL_CALL_START"},
    {"tool-args-unopened", B::kEnd, R"({"type":"TOOL_CALL_ARGS","toolCallId":"v-{{runId}}","delta":"{}"})"},
    {"tool-end-unopened", B::kEnd, R"({"type":"TOOL_CALL_END","toolCallId":"v-{{runId}}"})"},
    {"step-dup-start", B::kRepeat, R"({"type":"STEP_STARTED","stepName":"violation"}
{"type":"STEP_STARTED","stepName":"violation"}
{"type":"STEP_FINISHED","stepName":"violation"})",
     "STEP_STARTED"},
    {"step-finish-unopened", B::kEnd, R"({"type":"STEP_FINISHED","stepName":"violation"})"},
    {"reasoning-dup-start", B::kRepeat, R"({"type":"REASONING_START","messageId":"v-{{runId}}"}
{"type":"REASONING_START","messageId":"v-{{runId}}"}
{"type":"REASONING_END","messageId":"v-{{runId}}"})",
     "REASONING_START"},
    {"reasoning-unopened", B::kEnd, R"({"type":"REASONING_END","messageId":"v-{{runId}}"})"},
    {"subagent-lifecycle", B::kEnd, R"({"type":"SUBAGENT_FINISHED","subagentRunId":"v-{{runId}}"})"},
    {"subagent-mismatch", B::kEnd, R"({"type":"SUBAGENT_STARTED","subagentRunId":"s-{{runId}}","name":"violation"}
{"type":"TEXT_MESSAGE_START","messageId":"v-{{runId}}","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"v-{{runId}}","delta":"","subagentRunId":"s-{{runId}}"}
{"type":"TEXT_MESSAGE_END","messageId":"v-{{runId}}"}
{"type":"SUBAGENT_FINISHED","subagentRunId":"s-{{runId}}"})"},
    {"first-chunk-missing-id", B::kBegin, R"({"type":"TEXT_MESSAGE_CHUNK","delta":""})"},
    {"chunk-conflict", B::kEnd, R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"v-{{runId}}","role":"assistant","delta":""}
{"type":"TEXT_MESSAGE_CHUNK","messageId":"v-{{runId}}","role":"developer","delta":""})"},
    {"truncated", B::kDrop, "", kTerminal},
    {"empty-stream", B::kDrop, ""},
    {"not-event-stream", B::kWire, "", "", [](Wire& wire) { wire.content_type = "text/plain; charset=utf-8"; }},
    {"run-id-mismatch", B::kAlter, R"({"runId":"another-{{runId}}"})"},
    {"thread-id-mismatch", B::kAlter, R"({"threadId":"another-{{threadId}}"})"},
    {"pending-mismatch", B::kAlter, R"({"outcome":{"type":"success","pendingToolCallIds":["v-{{runId}}"]}})"},
    {"frontend-tool-answered", B::kEnd, R"({"type":"TOOL_CALL_START","toolCallId":"v-{{runId}}","toolCallName":"{{tool}}"}
{"type":"TOOL_CALL_ARGS","toolCallId":"v-{{runId}}","delta":"{}"}
{"type":"TOOL_CALL_END","toolCallId":"v-{{runId}}"}
{"type":"TOOL_CALL_RESULT","messageId":"t-{{runId}}","toolCallId":"v-{{runId}}","content":"{}"})"},
    {"interrupt-dup-id", B::kAlter,
     R"({"outcome":{"type":"interrupt","interrupts":[{"id":"i-1","reason":"confirmation"},{"id":"i-1","reason":"input_required"}]}})"},
    {"crlf-framing", B::kWire, "", "", [](Wire& wire) { wire.newline = "\r\n"; }},
    {"unterminated-last-event", B::kWire, "", "", [](Wire& wire) { wire.last_blank = false; }},
    {"unknown-event", B::kEnd, R"({"type":"SOMETHING_NEW","value":1})"},
    {"unknown-field", B::kAlter, R"({"finishReason":"stop"})"},
    {"legacy-null", B::kAlter, R"({"result":null})"},
    {"deprecated-thinking", B::kBegin, R"({"type":"THINKING_START"}
{"type":"THINKING_TEXT_MESSAGE_START"}
{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"hm"}
{"type":"THINKING_TEXT_MESSAGE_END"}
{"type":"THINKING_END"})"},
    {"patch-not-applied", B::kEnd, R"({"type":"STATE_DELTA","delta":[{"op":"remove","path":"/no/such/member"}]})"},
    {"delta-without-baseline", B::kEnd,
     R"({"type":"ACTIVITY_DELTA","messageId":"v-{{runId}}","activityType":"VIOLATION","patch":[]})"},
    {"args-not-json", B::kEnd, R"({"type":"TOOL_CALL_START","toolCallId":"v-{{runId}}","toolCallName":"violation"}
{"type":"TOOL_CALL_ARGS","toolCallId":"v-{{runId}}","delta":"{\"half\":"}
{"type":"TOOL_CALL_END","toolCallId":"v-{{runId}}"})"},
    {"result-unknown-call", B::kEnd,
     R"({"type":"TOOL_CALL_RESULT","messageId":"t-{{runId}}","toolCallId":"v-{{runId}}","content":"{}"})"},
    {"duplicate-result", B::kRepeat, R"({"type":"TOOL_CALL_START","toolCallId":"v-{{runId}}","toolCallName":"violation"}
{"type":"TOOL_CALL_ARGS","toolCallId":"v-{{runId}}","delta":"{}"}
{"type":"TOOL_CALL_END","toolCallId":"v-{{runId}}"}
{"type":"TOOL_CALL_RESULT","messageId":"t-{{runId}}","toolCallId":"v-{{runId}}","content":"{}"}
{"type":"TOOL_CALL_RESULT","messageId":"t2-{{runId}}","toolCallId":"v-{{runId}}","content":"{}"})",
     "TOOL_CALL_RESULT"},
    {"usage-total", B::kAlter, R"({"usage":[{"inputTokens":1,"outputTokens":2,"totalTokens":4}]})"},
};

bool is_terminal(std::string_view type) { return type == kRunFinished || type == kRunError; }

}  // namespace

std::span<const Breach> breaches() { return kBreaches; }

Breaker::Breaker(std::vector<const Breach*> breaches, const TemplateValues& values)
    : breaches_(std::move(breaches)), values_(values) {}

void Breaker::insert(const Breach& breach, std::vector<std::string>& out) {
  bool possible = breach.events.find("{{tool}}") == std::string_view::npos || !values_.tool.empty();
  if (!possible) return;
  for (const auto& line : split(breach.events, '\n'))
    out.push_back(Template(line, Template::Escape::kJson).expand(values_));
}

void Breaker::insert(Breach::How how, std::vector<std::string>& out) {
  for (const Breach* breach : breaches_)
    if (breach->how == how) insert(*breach, out);
}

std::string Breaker::altered(std::string_view type, std::string event) const {
  if (type != kRunFinished) return event;
  for (const Breach* breach : breaches_) {
    if (breach->how != Breach::kAlter) continue;
    auto json = parse_json(event);
    auto change = parse_json(Template(breach->events, Template::Escape::kJson).expand(values_));
    if (!json || !json->is_object() || !change) continue;
    for (const auto& [key, value] : change->items())
      (*json)[key] = value;
    event = to_compact(*json);
  }
  return event;
}

bool Breaker::drops(std::string_view type) const {
  return std::any_of(breaches_.begin(), breaches_.end(), [&](const Breach* breach) {
    return breach->how == Breach::kDrop && (breach->type.empty() || is_terminal(type));
  });
}

bool Breaker::awaits(const Breach& breach) const {
  return breach.how == Breach::kRepeat && std::find(repeated_.begin(), repeated_.end(), &breach) == repeated_.end();
}

void Breaker::repeat(std::string_view type, std::vector<std::string>& out) {
  for (const Breach* breach : breaches_) {
    if (!awaits(*breach) || breach->type != type) continue;
    repeated_.push_back(breach);
    out.push_back(out.back());
  }
}

void Breaker::before_end(std::vector<std::string>& out) {
  for (const Breach* breach : breaches_)
    if (breach->how == Breach::kEnd || awaits(*breach)) insert(*breach, out);
}

std::vector<std::string> Breaker::rewrite(std::string_view type, std::string event) {
  std::vector<std::string> out;
  bool last = is_terminal(type) && !std::exchange(ended_, true);
  if (!std::exchange(begun_, true)) insert(Breach::kFront, out);
  if (last) before_end(out);
  out.push_back(altered(type, std::move(event)));
  repeat(type, out);
  if (type == kRunStarted) insert(Breach::kBegin, out);
  if (last) insert(Breach::kBehind, out);
  if (drops(type)) out.clear();
  return out;
}

}  // namespace assay
