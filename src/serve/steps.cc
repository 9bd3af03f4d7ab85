#include "serve/steps.h"

#include <fmt/format.h>

#include <array>

#include "base/json.h"
#include "base/text.h"
#include "serve/event_steps.h"

namespace assay {
namespace {

constexpr double kLongestPauseMs = 1e9;
constexpr int64_t kMostCharacters = 1'000'000'000;

// The keys of one step while they are read: one of them makes the step, the others shape it.
struct Draft {
  std::optional<Step> step;
  std::optional<size_t> chunk;
  std::optional<Duration> delay;
  std::optional<EventForm> form;
  std::optional<Template> owner;
};

Template json_template(const Node& node) { return Template(to_compact(node.to_json()), Template::Escape::kJson); }

Json event(std::string_view type, std::string_view key, Json value) {
  Json out = {{"type", type}};
  out[std::string(key)] = std::move(value);
  return out;
}

EventStep event_step(const Json& json, bool ends_run = false) {
  auto type = json.is_object() ? json.find("type") : json.end();
  std::string name = type != json.end() && type->is_string() ? type->get<std::string>() : "";
  return {Template(to_compact(json), Template::Escape::kJson), std::move(name), ends_run};
}

std::optional<EventForm> read_form(Reader& reader, const Node& node) {
  static const std::vector<std::string> kForms = {"explicit", "chunk", "snapshot"};
  auto index = reader.word(node, "`form`", kForms);
  if (!index) return std::nullopt;
  return static_cast<EventForm>(*index);
}

size_t read_characters(Reader& reader, const Node& node, std::string_view what) {
  return static_cast<size_t>(reader.integer(node, what, 1, kMostCharacters).value_or(0));
}

void read_text(Reader& reader, const Node& node, Draft& out, TextKind kind) {
  constexpr std::string_view kKeys[] = {"`text`", "`reasoning`", "`thinking`"};
  TextStep step;
  step.text = Template(reader.text(node, kKeys[static_cast<size_t>(kind)]).value_or(""));
  step.kind = kind;
  out.step = std::move(step);
}

constexpr std::array kToolFields = {
    Field<ToolStep>{"name", "text", "the tool's name",
                    [](Reader& r, const Node& n, ToolStep& out) { out.name = r.text(n, "`name`").value_or(""); },
                    Field<ToolStep>::kRequired},
    Field<ToolStep>{"args", "any", "the arguments", [](Reader&, const Node& n, ToolStep& out) { out.args = json_template(n); }},
    Field<ToolStep>{"args_text", "text", "the text of the arguments, as it is",
                    [](Reader& r, const Node& n, ToolStep& out) { out.args = Template(r.text(n, "`args_text`").value_or("")); }},
    Field<ToolStep>{"result", "any", "what the tool answers; without it nobody does",
                    [](Reader&, const Node& n, ToolStep& out) { out.result = text_template(n); }},
    Field<ToolStep>{"result_parts", "list of content parts", "what the tool answers, as parts",
                    [](Reader& r, const Node& n, ToolStep& out) {
                      r.list(n, "`result_parts`");
                      out.result = json_template(n);
                      out.result_is_parts = true;
                    }},
    Field<ToolStep>{"delay_ms", "number", "between the call's end and its result",
                    [](Reader& r, const Node& n, ToolStep& out) { out.delay = read_pause(r, n, "`delay_ms`"); }},
    Field<ToolStep>{"form", "explicit, chunk or snapshot", "TOOL_CALL_START, _ARGS, _END; TOOL_CALL_CHUNK; MESSAGES_SNAPSHOT",
                    [](Reader& r, const Node& n, ToolStep& out) { out.form = read_form(r, n).value_or(out.form); }},
    Field<ToolStep>{"args_chunk", "number", "characters in a delta of the arguments",
                    [](Reader& r, const Node& n, ToolStep& out) { out.args_chunk = read_characters(r, n, "`args_chunk`"); }},
    Field<ToolStep>{"id", "text", "the call's id",
                    [](Reader& r, const Node& n, ToolStep& out) {
                      out.id = Template(r.text(n, "`id`").value_or(""));
                      out.has_id = true;
                    }},
    Field<ToolStep>{
        "subagentRunId", "text", "the subagent that calls",
        [](Reader& r, const Node& n, ToolStep& out) { out.owner = Template(r.text(n, "`subagentRunId`").value_or("")); }},
};

void read_tool(Reader& reader, const Node& node, Draft& out) {
  ToolStep step;
  step.args = Template("{}");
  read_fields<ToolStep>(reader, node, step, kToolFields, "a tool call");
  if (node.find("args") && node.find("args_text"))
    reader.error(*node.find("args_text"), "`args` and `args_text` exclude each other");
  if (node.find("result") && node.find("result_parts"))
    reader.error(*node.find("result_parts"), "`result` and `result_parts` exclude each other");
  out.step = std::move(step);
}

// Without an id an activity is the one of its type in this turn.
void read_activity(Reader& reader, const Node& node, Draft& out, const EventKind& kind) {
  Json json = read_event_kind(reader, node, kind);
  if (!json.contains("messageId")) json["messageId"] = "activity-{{turn}}-" + json.value("activityType", "");
  out.step = event_step(json);
}

void read_outcome(Reader& reader, const Node& node, Draft& out) {
  static const std::vector<std::string> kOutcomes = {"success", "cancelled"};
  auto index = reader.word(node, "`outcome`", kOutcomes);
  out.step = EndStep{Template(to_compact({{"type", kOutcomes[index.value_or(0)]}}))};
}

void read_event(Reader& reader, const Node& node, Draft& out) {
  out.step = event_step(node.to_json());
  if (reader.map(node, "`event`") && !node.find("type")) reader.error(node, "`event` needs `type`");
}

void read_fault(Reader& reader, const Node& node, Draft& out) {
  static const std::vector<std::string> kFaults = {"cut", "reset", "stall", "garbage", "no_finish", "html"};
  auto index = reader.word(node, "`fault`", kFaults);
  out.step = FaultStep{static_cast<Fault>(index.value_or(0))};
}

void read_list(Reader& reader, const Node& node, Draft& out, std::string_view type, std::string_view key) {
  reader.list(node, fmt::format("`{}`", key));
  out.step = event_step(event(type, key, node.to_json()));
}

using Row = Field<Draft>;

// Rows that make a step.
constexpr std::array kKinds = {
    Row{"text", "text", "a message of the assistant",
        [](Reader& r, const Node& n, Draft& d) { read_text(r, n, d, TextKind::kMessage); }},
    Row{"reasoning", "text", "a piece of reasoning",
        [](Reader& r, const Node& n, Draft& d) { read_text(r, n, d, TextKind::kReasoning); }},
    Row{"thinking", "text", "the same in the deprecated THINKING_* events",
        [](Reader& r, const Node& n, Draft& d) { read_text(r, n, d, TextKind::kThinking); }},
    Row{"tool", "tool call", "a tool call and its result", read_tool},
    Row{"state", "any", "STATE_SNAPSHOT",
        [](Reader&, const Node& n, Draft& d) { d.step = event_step(event("STATE_SNAPSHOT", "snapshot", n.to_json())); }},
    Row{"state_delta", "list of JSON Patch operations", "STATE_DELTA",
        [](Reader& r, const Node& n, Draft& d) { read_list(r, n, d, "STATE_DELTA", "delta"); }},
    Row{"messages", "list of messages", "MESSAGES_SNAPSHOT",
        [](Reader& r, const Node& n, Draft& d) { read_list(r, n, d, "MESSAGES_SNAPSHOT", "messages"); }},
    Row{"step", "text", "STEP_STARTED",
        [](Reader& r, const Node& n, Draft& d) {
          d.step = event_step(event("STEP_STARTED", "stepName", r.text(n, "`step`").value_or("")));
        }},
    Row{"step_end", "text", "STEP_FINISHED",
        [](Reader& r, const Node& n, Draft& d) {
          d.step = event_step(event("STEP_FINISHED", "stepName", r.text(n, "`step_end`").value_or("")));
        }},
    Row{"custom", "{name, value}", "CUSTOM",
        [](Reader& r, const Node& n, Draft& d) { d.step = event_step(read_event_kind(r, n, kCustomKind)); }},
    Row{"activity", "{id, type, content, replace}", "ACTIVITY_SNAPSHOT",
        [](Reader& r, const Node& n, Draft& d) { read_activity(r, n, d, kActivityKind); }},
    Row{"activity_delta", "{id, type, patch}", "ACTIVITY_DELTA",
        [](Reader& r, const Node& n, Draft& d) { read_activity(r, n, d, kActivityDeltaKind); }},
    Row{"subagent", "{id, name, …}", "SUBAGENT_STARTED",
        [](Reader& r, const Node& n, Draft& d) { d.step = event_step(read_event_kind(r, n, kSubagentKind)); }},
    Row{"subagent_end", "text or {id, result, outcome}", "SUBAGENT_FINISHED",
        [](Reader& r, const Node& n, Draft& d) { d.step = event_step(read_event_kind(r, n, kSubagentEndKind)); }},
    Row{"subagent_error", "{id, message, code}", "SUBAGENT_ERROR",
        [](Reader& r, const Node& n, Draft& d) { d.step = event_step(read_event_kind(r, n, kSubagentErrorKind)); }},
    Row{"encrypted", "{subtype, id, value, value_type}", "REASONING_ENCRYPTED_VALUE",
        [](Reader& r, const Node& n, Draft& d) { d.step = event_step(read_event_kind(r, n, kEncryptedKind)); }},
    Row{"interrupt", "{id, reason, …} or a list", "RUN_FINISHED with interrupts, and the end",
        [](Reader& r, const Node& n, Draft& d) {
          d.step = EndStep{Template(to_compact(read_interrupts(r, n)), Template::Escape::kJson)};
        }},
    Row{"outcome", "success or cancelled", "RUN_FINISHED with this outcome, and the end", read_outcome},
    Row{"event", "map", "any event, as written", read_event},
    Row{"raw", "text", "bytes of the stream, as they are",
        [](Reader& r, const Node& n, Draft& d) { d.step = RawStep{Template(r.text(n, "`raw`").value_or(""))}; }},
    Row{"usage", "list of maps", "token counts for RUN_FINISHED",
        [](Reader& r, const Node& n, Draft& d) {
          r.list(n, "`usage`");
          d.step = UsageStep{json_template(n)};
        }},
    Row{"wait_ms", "number", "a pause",
        [](Reader& r, const Node& n, Draft& d) { d.step = WaitStep{read_pause(r, n, "`wait_ms`")}; }},
    Row{"error", "text or {message, code}", "RUN_ERROR and the end",
        [](Reader& r, const Node& n, Draft& d) {
          d.step = event_step(read_event_kind(r, n, kErrorKind), /*ends_run=*/true);
        }},
    Row{"fault", "cut, reset, stall, garbage, no_finish or html", "something a bad network or server does", read_fault},
};

// Rows that shape `text`, `reasoning` and `thinking`.
constexpr std::array kShapes = {
    Row{"chunk", "number", "characters in a delta",
        [](Reader& r, const Node& n, Draft& d) { d.chunk = read_characters(r, n, "`chunk`"); }},
    Row{"delay_ms", "number", "between deltas",
        [](Reader& r, const Node& n, Draft& d) { d.delay = read_pause(r, n, "`delay_ms`"); }},
    Row{"form", "explicit, chunk or snapshot", "START, CONTENT, END; CHUNK events; MESSAGES_SNAPSHOT",
        [](Reader& r, const Node& n, Draft& d) { d.form = read_form(r, n); }},
    Row{"subagentRunId", "text", "the subagent that says it",
        [](Reader& r, const Node& n, Draft& d) { d.owner = Template(r.text(n, "`subagentRunId`").value_or("")); }},
};

std::vector<Row> step_rows() {
  std::vector<Row> rows(kKinds.begin(), kKinds.end());
  rows.insert(rows.end(), kShapes.begin(), kShapes.end());
  return rows;
}

std::vector<const Node*> keys_of(const Node& node, std::span<const Row> rows) {
  std::vector<const Node*> out;
  for (const auto& member : node.members)
    for (const auto& row : rows)
      if (row.name == member.key.text) out.push_back(&member.key);
  return out;
}

void shape(Reader& reader, const Node& node, Draft& draft) {
  auto* text = std::get_if<TextStep>(&*draft.step);
  if (!text) {
    for (const Node* key : keys_of(node, kShapes))
      reader.error(*key, fmt::format("`{}` goes with `text`, `reasoning` and `thinking` only", key->text));
    return;
  }
  text->chunk = draft.chunk.value_or(0);
  text->delay = draft.delay.value_or(Duration::zero());
  text->form = draft.form.value_or(EventForm::kExplicit);
  text->owner = draft.owner.value_or(Template());
  if (text->kind == TextKind::kThinking && text->form != EventForm::kExplicit)
    reader.error(*node.find("form"), "`thinking` has one form only: explicit");
}

}  // namespace

Duration read_pause(Reader& reader, const Node& node, std::string_view what) {
  auto ms = reader.number(node, what);
  if (ms && *ms > kLongestPauseMs) reader.error(node, fmt::format("{} is too long", what));
  return from_ms(std::min(ms.value_or(0), kLongestPauseMs));
}

Template text_template(const Node& node) {
  Json json = node.to_json();
  if (json.is_string()) return Template(json.get_ref<const std::string&>());
  return Template(to_compact(json), Template::Escape::kJson);
}

std::optional<Step> read_step(Reader& reader, const Node& node) {
  static const std::vector<Row> kRows = step_rows();
  Draft draft;
  read_fields<Draft>(reader, node, draft, kRows, "a step");
  if (!node.is_map()) return std::nullopt;
  auto kinds = keys_of(node, kKinds);
  for (size_t i = 1; i < kinds.size(); ++i)
    reader.error(*kinds[i], fmt::format("`{}` and `{}` are two steps", kinds[0]->text, kinds[i]->text), "give each its own dash");
  std::vector<std::string> names;
  for (const auto& row : kKinds)
    names.emplace_back(row.name);
  if (kinds.empty()) reader.error(node, "a step says nothing", "one of " + join(names, ", "));
  if (draft.step) shape(reader, node, draft);
  return std::move(draft.step);
}

std::vector<StepHelp> serve_step_help() {
  std::vector<StepHelp> out;
  for (const auto& row : step_rows())
    out.push_back({row.name, row.type, row.help});
  return out;
}

}  // namespace assay
