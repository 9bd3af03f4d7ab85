#include "agent/conformance.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/conformance_words.h"
#include "agent/event_schema.h"
#include "base/text.h"

namespace assay {
using namespace conformance;
namespace {

// A stream that breaks a rule with every event is told so often enough.
constexpr size_t kMostNoted = 1000;

}  // namespace

Conformance::Conformance(std::vector<Violation>& out, ConformanceRequest request, int first_event)
    : out_(out), request_(std::move(request)), index_(first_event - 1) {
  for (const auto& [id, name] : request_.calls)
    calls_.try_emplace(id, Call{name, false, false});
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
  if (is_thinking(event.type)) note("deprecated-thinking", fmt::format("{} is deprecated: use REASONING_*", event.type_name));
  check_event_fields(event, [this](std::string_view rule, std::string message) { note(rule, std::move(message)); });
  if (!phase_allows(event)) return;
  close_chunks(event);
  if (is_run(event.type)) return run_event(event);
  if (is_chunk(event.type)) return chunk(event);
  switch (event.type) {
    case EventType::kTextStart: return open(run_.text, event.text(FieldId::kMessageId), "text-dup-start", event);
    case EventType::kTextContent: return need_open(run_.text, event.text(FieldId::kMessageId), "text-content-unopened", event);
    case EventType::kTextEnd:
      need_open(run_.text, event.text(FieldId::kMessageId), "text-end-unopened", event);
      run_.text.erase(std::string(event.text(FieldId::kMessageId)));
      return;
    case EventType::kToolStart:
    case EventType::kToolArgs:
    case EventType::kToolEnd: return tool_event(event);
    case EventType::kToolResult: return tool_result(event);
    case EventType::kStepStarted:
    case EventType::kStepFinished: return step_event(event);
    case EventType::kSubagentStarted:
    case EventType::kSubagentFinished:
    case EventType::kSubagentError: return subagent_event(event);
    case EventType::kMessagesSnapshot: return messages_snapshot(event);
    case EventType::kActivitySnapshot: activities_.emplace(event.text(FieldId::kMessageId)); return;
    case EventType::kActivityDelta:
      if (activities_.count(std::string(event.text(FieldId::kMessageId))) == 0)
        note("delta-without-baseline",
             fmt::format("ACTIVITY_DELTA for {}, which no ACTIVITY_SNAPSHOT has set", shown(event.text(FieldId::kMessageId))));
      return;
    default: return reasoning_event(event);
  }
}

// --- runs

// R1 to R3: what may come when. An event that may not come is not judged further.
bool Conformance::phase_allows(const AguiEvent& event) {
  bool starts = event.type == EventType::kRunStarted;
  switch (phase_) {
    case Phase::kActive: return true;
    case Phase::kBefore:
      if (starts || event.type == EventType::kRunError || judged_ > 1) return true;
      note("first-event", fmt::format("the first event is {}: it must be RUN_STARTED or RUN_ERROR", event.type_name));
      return true;
    case Phase::kFailed:
      if (!starts) note("after-error", fmt::format("{} follows RUN_ERROR: only RUN_STARTED may", event.type_name));
      return starts;
    case Phase::kFinished:
      if (starts || event.type == EventType::kRunError) return true;
      note("after-finished", fmt::format("{} follows RUN_FINISHED: only RUN_STARTED or RUN_ERROR may", event.type_name));
      return false;
  }
  return true;
}

void Conformance::run_event(const AguiEvent& event) {
  if (event.type == EventType::kRunStarted) return run_started(event);
  check_usage(event);
  if (event.type == EventType::kRunFinished) return run_finished(event);
  phase_ = Phase::kFailed;
}

void Conformance::run_started(const AguiEvent& event) {
  if (phase_ == Phase::kActive && any_run_) note("nested-run", "RUN_STARTED while a run is active");
  phase_ = Phase::kActive;
  any_run_ = true;
  run_ = {};
  run_.thread_id = event.text(FieldId::kThreadId);
  run_.run_id = event.text(FieldId::kRunId);
  thread_seen_ = thread_seen_ || run_.thread_id == request_.thread_id;
  run_seen_ = run_seen_ || run_.run_id == request_.run_id;
}

void Conformance::run_finished(const AguiEvent& event) {
  phase_ = Phase::kFinished;
  std::string open = open_things();
  if (!open.empty()) note("open-at-finish", fmt::format("RUN_FINISHED while {} open", open));
  auto differs = [&](FieldId field, const std::string& started, std::string_view rule, std::string_view name) {
    std::string_view now = event.text(field);
    if (any_run_ && !started.empty() && !now.empty() && now != started)
      note(rule, fmt::format("RUN_FINISHED has {} {}, its RUN_STARTED had {}", name, shown(now), shown(started)));
  };
  differs(FieldId::kRunId, run_.run_id, "run-id-mismatch", "runId");
  differs(FieldId::kThreadId, run_.thread_id, "thread-id-mismatch", "threadId");
  check_outcome(event);
}

std::string Conformance::open_things() const {
  std::vector<std::string> parts;
  auto add = [&](size_t n, std::string_view noun) {
    if (n > 0) parts.push_back(plural(static_cast<long long>(n), noun));
  };
  size_t calls = static_cast<size_t>(
      std::count_if(run_.calls.begin(), run_.calls.end(), [&](const auto& id) { return calls_.at(id).open; }));
  add(run_.steps.size(), "step");
  add(run_.text.size(), "text message");
  add(run_.reasoning.size(), "reasoning message");
  add(run_.spans.size() + (run_.thinking ? 1 : 0), "reasoning span");
  add(calls, "tool call");
  add(run_.subagents.size(), "subagent");
  if (parts.empty()) return {};
  return join(parts, ", ") + (parts.size() == 1 && parts[0].starts_with("1 ") ? " is" : " are");
}

void Conformance::check_outcome(const AguiEvent& event) {
  simdjson::dom::object outcome;
  if (!event.has(FieldId::kOutcome) || event.at(FieldId::kOutcome).get(outcome) != simdjson::SUCCESS) return;
  simdjson::dom::array list;
  if (outcome["interrupts"].get(list) == simdjson::SUCCESS) {
    std::set<std::string> ids;
    for (auto item : list) {
      std::string_view id;
      if (item["id"].get(id) == simdjson::SUCCESS && !ids.emplace(id).second)
        note("interrupt-dup-id", fmt::format("two interrupts have the id {}", shown(id)));
    }
  }
  if (outcome["pendingToolCallIds"].get(list) != simdjson::SUCCESS) return;
  std::vector<std::string> named;
  for (auto item : list) {
    std::string_view id;
    if (item.get(id) == simdjson::SUCCESS) named.emplace_back(id);
  }
  std::vector<std::string> pending;
  for (const auto& id : run_.calls)
    if (!calls_.at(id).answered) pending.push_back(id);
  if (named != pending)
    note("pending-mismatch", fmt::format("pendingToolCallIds is [{}], the calls nobody answered are [{}]",
                                         visible(join(named, ", ")), visible(join(pending, ", "))));
}

void Conformance::check_usage(const AguiEvent& event) {
  simdjson::dom::array entries;
  if (!event.has(FieldId::kUsage) || event.at(FieldId::kUsage).get(entries) != simdjson::SUCCESS) return;
  for (auto entry : entries) {
    int64_t input = 0;
    int64_t output = 0;
    int64_t total = 0;
    bool all = entry["inputTokens"].get(input) == simdjson::SUCCESS && entry["outputTokens"].get(output) == simdjson::SUCCESS &&
               entry["totalTokens"].get(total) == simdjson::SUCCESS;
    if (all && input + output != total)
      note("usage-total", fmt::format("totalTokens is {}, inputTokens and outputTokens make {}", total, input + output));
  }
}

// --- items that open and close

void Conformance::open(std::unordered_map<std::string, std::string>& set, std::string_view id, std::string_view rule,
                       const AguiEvent& event) {
  std::string owner(lane_of(event));
  bool fresh = set.emplace(id, owner).second;
  if (!fresh) note(rule, fmt::format("{} for {}, which is open already", event.type_name, shown(id)));
  owners_.insert_or_assign(std::string(id), owner);
}

void Conformance::need_open(const std::unordered_map<std::string, std::string>& set, std::string_view id, std::string_view rule,
                            const AguiEvent& event) {
  auto found = set.find(std::string(id));
  if (found == set.end()) return note(rule, fmt::format("{} for {}, which is not open", event.type_name, shown(id)));
  check_owner(found->second, event);
}

// R18: a tag must be the owner's; no tag is always fine.
void Conformance::check_owner(const std::string& owner, const AguiEvent& event) {
  std::string_view tag = lane_of(event);
  if (tag.empty() || tag == owner) return;
  std::string owned = owner.empty() ? "the parent agent" : "subagent " + shown(owner);
  note("subagent-mismatch",
       fmt::format("{} is tagged with subagent {}, but the item belongs to {}", event.type_name, shown(tag), owned));
}

void Conformance::start_call(std::string_view id, std::string_view name, const AguiEvent& event) {
  Call& call = calls_[std::string(id)];
  if (call.open) note("tool-dup-start", fmt::format("{} for {}, which is open already", event.type_name, shown(id)));
  bool of_this_run = std::find(run_.calls.begin(), run_.calls.end(), id) != run_.calls.end();
  if (!of_this_run) run_.calls.emplace_back(id);
  call.name = name;
  call.open = true;
  owners_.insert_or_assign(std::string(id), std::string(lane_of(event)));
  std::string_view parent = event.text(FieldId::kParentMessageId);
  auto owner = parent.empty() ? owners_.end() : owners_.find(std::string(parent));
  if (owner != owners_.end()) check_owner(owner->second, event);
}

void Conformance::tool_event(const AguiEvent& event) {
  std::string id(event.text(FieldId::kToolCallId));
  if (event.type == EventType::kToolStart) return start_call(id, event.text(FieldId::kToolCallName), event);
  auto found = calls_.find(id);
  if (found == calls_.end() || !found->second.open)
    return note(event.type == EventType::kToolArgs ? "tool-args-unopened" : "tool-end-unopened",
                fmt::format("{} for {}, which is not open", event.type_name, shown(id)));
  check_owner(owners_[id], event);
  if (event.type == EventType::kToolEnd) found->second.open = false;
}

void Conformance::tool_result(const AguiEvent& event) {
  std::string id(event.text(FieldId::kToolCallId));
  auto found = calls_.find(id);
  if (found == calls_.end())
    return note("result-unknown-call", fmt::format("TOOL_CALL_RESULT for {}, which nobody started", shown(id)));
  if (found->second.answered) note("duplicate-result", fmt::format("a second TOOL_CALL_RESULT for {}", shown(id)));
  found->second.answered = true;
  bool client_side = std::find(request_.tools.begin(), request_.tools.end(), found->second.name) != request_.tools.end();
  if (client_side)
    note("frontend-tool-answered",
         fmt::format("the agent answered {} itself, a tool that the client provides", shown(found->second.name)));
}

void Conformance::step_event(const AguiEvent& event) {
  std::pair<std::string, std::string> step(lane_of(event), event.text(FieldId::kStepName));
  if (event.type == EventType::kStepStarted) {
    if (!run_.steps.insert(step).second)
      note("step-dup-start", fmt::format("STEP_STARTED for {}, which is open already", shown(step.second)));
    return;
  }
  if (run_.steps.erase(step) == 0)
    note("step-finish-unopened", fmt::format("STEP_FINISHED for {}, which is not open", shown(step.second)));
}

void Conformance::reasoning_event(const AguiEvent& event) {
  std::string id(event.text(FieldId::kMessageId));
  switch (event.type) {
    case EventType::kReasoningStart: return open(run_.spans, id, "reasoning-dup-start", event);
    case EventType::kReasoningEnd:
      need_open(run_.spans, id, "reasoning-unopened", event);
      run_.spans.erase(id);
      return;
    case EventType::kReasoningMessageStart: return open(run_.reasoning, id, "reasoning-dup-start", event);
    case EventType::kReasoningMessageContent: return need_open(run_.reasoning, id, "reasoning-unopened", event);
    case EventType::kReasoningMessageEnd:
      need_open(run_.reasoning, id, "reasoning-unopened", event);
      run_.reasoning.erase(id);
      return;
    default: return;
  }
}

void Conformance::subagent_event(const AguiEvent& event) {
  std::string id(lane_of(event));
  if (event.type == EventType::kSubagentStarted) {
    bool again = run_.subagents.count(id) > 0 || run_.closed_subagents.count(id) > 0;
    if (again) note("subagent-lifecycle", fmt::format("SUBAGENT_STARTED for {}, which has started before", shown(id)));
    std::string_view parent;
    bool orphan = event.object["parentSubagentRunId"].get(parent) == simdjson::SUCCESS &&
                  run_.subagents.count(std::string(parent)) + run_.closed_subagents.count(std::string(parent)) == 0;
    if (orphan)
      note("subagent-lifecycle", fmt::format("SUBAGENT_STARTED names the parent {}, which has not started", shown(parent)));
    run_.subagents.insert(id);
    return;
  }
  if (run_.subagents.erase(id) == 0)
    note("subagent-lifecycle", fmt::format("{} for {}, which is not active", event.type_name, shown(id)));
  run_.closed_subagents.insert(id);
  close_lane(id);
  std::string_view type;
  bool typed = event.object["outcome"]["type"].get(type) == simdjson::SUCCESS;
  if (typed && type != "success" && type != "suspended")
    note("subagent-lifecycle", fmt::format("the outcome of a subagent cannot be {}", shown(type)));
}

void Conformance::messages_snapshot(const AguiEvent& event) {
  simdjson::dom::array messages;
  if (!event.has(FieldId::kMessages) || event.at(FieldId::kMessages).get(messages) != simdjson::SUCCESS) return;
  for (auto message : messages) {
    std::string_view id;
    std::string_view text;
    if (message["id"].get(id) != simdjson::SUCCESS) continue;
    if (message["subagentRunId"].get(text) == simdjson::SUCCESS) owners_.insert_or_assign(std::string(id), std::string(text));
    if (message["role"].get(text) == simdjson::SUCCESS && text == "activity") activities_.emplace(id);
    if (message["toolCallId"].get(text) == simdjson::SUCCESS && calls_.count(std::string(text)))
      calls_[std::string(text)].answered = true;
    simdjson::dom::array calls;
    if (message["toolCalls"].get(calls) != simdjson::SUCCESS) continue;
    for (auto call : calls) {
      std::string_view name;
      if (call["id"].get(text) == simdjson::SUCCESS && call["function"]["name"].get(name) == simdjson::SUCCESS)
        calls_.try_emplace(std::string(text), Call{std::string(name), false, false});
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
  if (!any_run_ || request_.connect) return;
  if (!run_seen_ && !request_.run_id.empty())
    note("run-id-mismatch", fmt::format("no run of the stream has the requested runId {}", shown(request_.run_id)));
  if (!thread_seen_ && !request_.thread_id.empty())
    note("thread-id-mismatch", fmt::format("no run of the stream has the requested threadId {}", shown(request_.thread_id)));
}

}  // namespace assay
