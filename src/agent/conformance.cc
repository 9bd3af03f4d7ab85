#include "agent/conformance.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/event_schema.h"

namespace assay {
using namespace conformance;
namespace {

// A stream that breaks a rule with every event is told so often enough.
constexpr size_t kMostNoted = 1000;

// The deprecated reasoning has no ids: these stand for them.
constexpr std::string_view kThinking = "\x01thinking";
constexpr std::string_view kThinkingText = "\x01thinking text";

std::string thing(std::string_view id) { return id == kThinking || id == kThinkingText ? "reasoning" : shown(id); }

}  // namespace

Conformance::Conformance(std::vector<Violation>& out, ConformanceRequest request, int first_event)
    : out_(out),
      schema_sink_([this](std::string_view rule, std::string message) { note(rule, std::move(message)); }),
      request_(std::move(request)),
      index_(first_event - 1) {
  for (const auto& call : request_.calls)
    calls_.insert_or_assign(call.id, Call{call.tool, false, call.answered});
  activities_.insert(request_.activities.begin(), request_.activities.end());
}

void Conformance::note(std::string_view rule, std::string message) {
  if (out_.size() >= kMostNoted) return;
  const ConformanceRule* row = find_conformance_rule(rule);
  out_.push_back({std::string(rule), row->severity, std::max(index_, 0), at_, std::move(message)});
}

void Conformance::unreadable(EventDecoder::Status status, std::string message, Time at) {
  ++index_;
  ++judged_;
  at_ = at;
  switch (status) {
    case EventDecoder::Status::kNotJson: return note("not-json", std::move(message));
    case EventDecoder::Status::kNotObject: return note("not-object", std::move(message));
    default: return note("no-type", std::move(message));
  }
}

void Conformance::add(const AguiEvent& event, Time at) {
  ++index_;
  ++judged_;
  at_ = at;
  if (event.type == EventType::kUnknown)
    return note("unknown-event", fmt::format("{} is no event of AG-UI: use CUSTOM or RAW", shown(event.type_name)));
  ++known_;
  if (is_thinking(event.type)) note("deprecated-thinking", fmt::format("{} is deprecated: use REASONING_*", event.type_name));
  check_event_fields(event, schema_sink_);
  if (!phase_allows(event)) return;
  close_chunks(event);
  if (is_run(event.type)) return run_event(event);
  if (is_chunk(event.type)) return chunk(event);
  judge_order(event);
}

// An event that does not say what it speaks of has been noted already; there is no more to say.
void Conformance::judge_order(const AguiEvent& event) {
  if (event.type == EventType::kMessagesSnapshot) return messages_snapshot(event);
  if (event.type == EventType::kReasoningEncryptedValue) return encrypted_value(event);
  if (is_thinking(event.type)) {
    bool span = event.type == EventType::kThinkingStart || event.type == EventType::kThinkingEnd;
    return reasoning_event(event, span ? kThinking : kThinkingText);
  }
  if (!event.is_text(id_field(event.type))) return;
  std::string_view id = event.text(id_field(event.type));
  switch (event.type) {
    case EventType::kTextStart: return open(text(), id, "text-dup-start", event);
    case EventType::kTextContent: return go_on(text(), id, "text-content-unopened", event);
    case EventType::kTextEnd: return close(text(), id, "text-end-unopened", event);
    case EventType::kToolStart:
    case EventType::kToolArgs:
    case EventType::kToolEnd: return tool_event(event, id);
    case EventType::kToolResult: return tool_result(event, std::string(id));
    case EventType::kStepStarted:
    case EventType::kStepFinished: return step_event(event);
    case EventType::kSubagentStarted:
    case EventType::kSubagentFinished:
    case EventType::kSubagentError: return subagent_event(event, std::string(id));
    case EventType::kActivitySnapshot:
    case EventType::kActivityDelta: return activity_event(event, id);
    default: return reasoning_event(event, id);
  }
}

// --- items that open and close

void Conformance::open(Kind kind, std::string_view id, std::string_view rule, const AguiEvent& event) {
  if (!kind.open.emplace(id).second)
    note(rule, fmt::format("{} for {}, which is open already", event.type_name, thing(id)));
  else
    check_known_owner(kind.owners, id, event);
  kind.owners.try_emplace(std::string(id), tag_of(event));
}

void Conformance::go_on(Kind kind, std::string_view id, std::string_view rule, const AguiEvent& event) {
  if (!kind.open.contains(id)) return note(rule, fmt::format("{} for {}, which is not open", event.type_name, thing(id)));
  check_known_owner(kind.owners, id, event);
}

void Conformance::close(Kind kind, std::string_view id, std::string_view rule, const AguiEvent& event) {
  go_on(kind, id, rule, event);
  if (auto found = kind.open.find(id); found != kind.open.end()) kind.open.erase(found);
}

// R18: a tag must be the owner's; no tag is always fine.
void Conformance::check_owner(const Owner& owner, const AguiEvent& event) {
  auto tag = tag_of(event);
  if (!tag || tag == owner) return;
  std::string owned = owner ? "subagent " + shown(*owner) : "the parent agent";
  note("subagent-mismatch",
       fmt::format("{} names subagent {}, what it speaks of belongs to {}", event.type_name, shown(*tag), owned));
}

void Conformance::check_known_owner(const TextMap<Owner>& owners, std::string_view id, const AguiEvent& event) {
  if (!event.has(FieldId::kSubagentRunId)) return;  // no tag is always fine: nearly every event
  if (auto known = owners.find(id); known != owners.end()) check_owner(known->second, event);
}

// --- tools

void Conformance::start_call(std::string_view id, std::string_view name, const AguiEvent& event) {
  Call& call = calls_[std::string(id)];
  bool dup = call.open;
  if (dup) note("tool-dup-start", fmt::format("{} for {}, which is open already", event.type_name, shown(id)));
  bool of_this_run = std::find(run_.calls.begin(), run_.calls.end(), id) != run_.calls.end();
  if (!of_this_run) run_.calls.emplace_back(id);
  call = {std::string(name), true, of_this_run && call.answered};
  auto& owners = run_.owners;
  auto parent = owners.messages.end();
  if (event.is_text(FieldId::kParentMessageId)) parent = owners.messages.find(event.text(FieldId::kParentMessageId));
  bool has_parent = parent != owners.messages.end();
  if (has_parent) check_owner(parent->second, event);
  auto known = owners.calls.find(id);
  if (known == owners.calls.end()) {
    Owner owner = tag_of(event) || !has_parent ? Owner(tag_of(event)) : parent->second;
    owners.calls.emplace(id, std::move(owner));
    return;
  }
  if (dup) return;
  check_owner(known->second, event);
  if (!tag_of(event) && has_parent && parent->second != known->second)
    note("subagent-mismatch", fmt::format("the call {} and its parent message belong to different agents", shown(id)));
}

void Conformance::tool_event(const AguiEvent& event, std::string_view id) {
  if (event.type == EventType::kToolStart) return start_call(id, event.text(FieldId::kToolCallName), event);
  auto found = calls_.find(id);
  if (found == calls_.end() || !found->second.open)
    return note(event.type == EventType::kToolArgs ? "tool-args-unopened" : "tool-end-unopened",
                fmt::format("{} for {}, which is not open", event.type_name, shown(id)));
  check_known_owner(run_.owners.calls, id, event);
  if (event.type == EventType::kToolEnd) found->second.open = false;
}

void Conformance::tool_result(const AguiEvent& event, const std::string& id) {
  if (event.is_text(FieldId::kMessageId))
    run_.owners.messages.insert_or_assign(std::string(event.text(FieldId::kMessageId)), tag_of(event));
  auto found = calls_.find(id);
  if (found == calls_.end())
    return note("result-unknown-call", fmt::format("TOOL_CALL_RESULT for {}, which nobody started", shown(id)));
  Call& call = found->second;
  if (call.answered) note("duplicate-result", fmt::format("a second TOOL_CALL_RESULT for {}", shown(id)));
  call.answered = true;
  bool client_side = std::find(request_.tools.begin(), request_.tools.end(), call.name) != request_.tools.end();
  if (client_side)
    note("frontend-tool-answered",
         fmt::format("the agent answered {} itself, a tool that the client provides", shown(call.name)));
}

// --- steps, reasoning, activity, subagents

void Conformance::step_event(const AguiEvent& event) {
  std::pair<Owner, std::string> step(tag_of(event), event.text(FieldId::kStepName));
  if (event.type == EventType::kStepStarted) {
    if (!run_.steps.insert(step).second)
      note("step-dup-start", fmt::format("STEP_STARTED for {}, which is open already", shown(step.second)));
    return;
  }
  if (run_.steps.erase(step) > 0) return;
  bool others = std::any_of(run_.steps.begin(), run_.steps.end(), [&](const auto& s) { return s.second == step.second; });
  note("step-finish-unopened",
       fmt::format("STEP_FINISHED for {}, which {}", shown(step.second),
                   others ? "another agent has started: whoever starts a step finishes it" : "is not open"));
}

void Conformance::reasoning_event(const AguiEvent& event, std::string_view id) {
  switch (event.type) {
    case EventType::kThinkingStart:
    case EventType::kReasoningStart: return open(spans(), id, "reasoning-dup-start", event);
    case EventType::kThinkingEnd:
    case EventType::kReasoningEnd: return close(spans(), id, "reasoning-unopened", event);
    case EventType::kThinkingTextStart:
    case EventType::kReasoningMessageStart: return open(reasoning(), id, "reasoning-dup-start", event);
    case EventType::kThinkingTextContent:
    case EventType::kReasoningMessageContent: return go_on(reasoning(), id, "reasoning-unopened", event);
    case EventType::kThinkingTextEnd:
    case EventType::kReasoningMessageEnd: return close(reasoning(), id, "reasoning-unopened", event);
    default: return;
  }
}

void Conformance::encrypted_value(const AguiEvent& event) {
  std::string_view entity = event.text("entityId");
  if (event.text("subtype") == "tool-call") return check_known_owner(run_.owners.calls, entity, event);
  const auto& messages = run_.owners.messages;
  check_known_owner(messages.contains(entity) ? messages : run_.owners.reasoning, entity, event);
}

void Conformance::activity_event(const AguiEvent& event, std::string_view id) {
  auto& owners = run_.owners.activities;
  if (event.type == EventType::kActivitySnapshot) {
    bool replace = true;
    bool kept = event.object["replace"].get(replace) == simdjson::SUCCESS && !replace && owners.contains(id);
    if (!kept) owners.insert_or_assign(std::string(id), tag_of(event));
    activities_.emplace(id);
    return;
  }
  check_known_owner(owners, id, event);
  if (!activities_.contains(id))
    note("delta-without-baseline", fmt::format("ACTIVITY_DELTA for {}, which no ACTIVITY_SNAPSHOT has set", shown(id)));
}

void Conformance::subagent_event(const AguiEvent& event, const std::string& id) {
  if (event.type == EventType::kSubagentStarted) {
    bool again = run_.subagents.contains(id) || run_.closed_subagents.contains(id);
    if (again) note("subagent-lifecycle", fmt::format("SUBAGENT_STARTED for {}, which has started before", shown(id)));
    std::string_view parent;
    bool has_parent = event.object["parentSubagentRunId"].get(parent) == simdjson::SUCCESS;
    if (has_parent && !run_.subagents.contains(parent) && !run_.closed_subagents.contains(parent))
      note("subagent-lifecycle", fmt::format("SUBAGENT_STARTED names the parent {}, which has not started", shown(parent)));
    run_.subagents.insert(id);
    return;
  }
  if (run_.subagents.erase(id) == 0)
    note("subagent-lifecycle", fmt::format("{} for {}, which is not active", event.type_name, shown(id)));
  run_.closed_subagents.insert(id);
}

// --- snapshots of messages

// Who owns the messages of a list and their calls; `anew`: what was known is replaced.
void Conformance::take_owners(simdjson::dom::array messages, bool anew) {
  auto& owners = run_.owners;
  auto take = [anew](TextMap<Owner>& map, std::string_view id, const Owner& owner) {
    if (anew)
      map.insert_or_assign(std::string(id), owner);
    else
      map.try_emplace(std::string(id), owner);
  };
  for (auto message : messages) {
    std::string_view id;
    std::string_view role;
    std::string_view tag;
    if (message["id"].get(id) != simdjson::SUCCESS) continue;
    if (message["role"].get(role) != simdjson::SUCCESS) role = {};
    Owner owner;
    if (message["subagentRunId"].get(tag) == simdjson::SUCCESS) owner = tag;
    take(role == "reasoning" ? owners.reasoning : role == "activity" ? owners.activities : owners.messages, id, owner);
    simdjson::dom::array calls;
    if (message["toolCalls"].get(calls) != simdjson::SUCCESS) continue;
    for (auto call : calls)
      if (call["id"].get(id) == simdjson::SUCCESS) take(owners.calls, id, owner);
  }
}

void Conformance::messages_snapshot(const AguiEvent& event) {
  simdjson::dom::array messages;
  if (!event.has(FieldId::kMessages) || event.at(FieldId::kMessages).get(messages) != simdjson::SUCCESS) return;
  take_owners(messages, true);
  for (auto message : messages) {
    std::string_view id;
    std::string_view text;
    if (message["role"].get(text) == simdjson::SUCCESS && text == "activity" && message["id"].get(id) == simdjson::SUCCESS)
      activities_.emplace(id);
    if (message["toolCallId"].get(text) == simdjson::SUCCESS)
      if (auto call = calls_.find(text); call != calls_.end()) call->second.answered = true;
    simdjson::dom::array calls;
    if (message["toolCalls"].get(calls) != simdjson::SUCCESS) continue;
    for (auto call : calls) {
      std::string_view name;
      bool named = call["id"].get(text) == simdjson::SUCCESS && call["function"]["name"].get(name) == simdjson::SUCCESS;
      if (named) calls_.try_emplace(std::string(text), Call{std::string(name), false, false});
    }
  }
}

// --- the end

void Conformance::patch_not_applied(std::string why) { note("patch-not-applied", std::move(why)); }

void Conformance::arguments_not_json(const std::string& call) {
  note("args-not-json", fmt::format("the arguments of {} are not JSON", shown(call)));
}

void Conformance::end(const ConformanceEnding& ending) {
  if (!ending.success_status) return;
  if (ending.saw_carriage_return)
    note("crlf-framing", "lines end with CR or CRLF: AG-UI asks for LF, and its own client reads nothing else");
  if (ending.unterminated) note("unterminated-last-event", "the last event is not followed by a blank line");
  std::string type = lower(trim(std::string_view(ending.content_type).substr(0, ending.content_type.find(';'))));
  if (type != "text/event-stream" && !(request_.connect && judged_ == 0))
    note("not-event-stream", fmt::format("the content type is {}, not text/event-stream", quote(ending.content_type)));
  if (!ending.whole) return;
  if (judged_ == 0) {
    if (!request_.connect) note("empty-stream", "the answer holds no event");
    return;
  }
  bool terminal = phase_ == Phase::kFinished || phase_ == Phase::kFailed;
  if (!terminal) note("truncated", "the stream ended without RUN_FINISHED or RUN_ERROR");
  if (!any_run_ || request_.connect || !ending.ids_known) return;
  if (!run_seen_ && !request_.run_id.empty())
    note("run-id-mismatch", fmt::format("no run of the stream has the requested runId {}", shown(request_.run_id)));
  if (!thread_seen_ && !request_.thread_id.empty())
    note("thread-id-mismatch", fmt::format("no run of the stream has the requested threadId {}", shown(request_.thread_id)));
}

}  // namespace assay
