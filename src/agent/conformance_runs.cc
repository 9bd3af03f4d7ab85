// The part of the judge that speaks of runs: when they may start and end, and what they say of their end.
#include <fmt/format.h>

#include <algorithm>

#include "agent/conformance.h"

namespace assay {
using namespace conformance;

// R1 to R3: what may come when. An event that may not come is not judged further.
bool Conformance::phase_allows(const AguiEvent& event) {
  bool starts = event.type == EventType::kRunStarted;
  switch (phase_) {
    case Phase::kActive: return true;
    case Phase::kBefore:
      if (starts || event.type == EventType::kRunError || known_ > 1) return true;
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
  for (const auto& id : run_.calls)
    calls_[id].open = false;
  run_ = {};
  run_.thread_id = event.text(FieldId::kThreadId);
  run_.run_id = event.text(FieldId::kRunId);
  thread_seen_ = thread_seen_ || run_.thread_id == request_.thread_id;
  run_seen_ = run_seen_ || run_.run_id == request_.run_id;
  simdjson::dom::array messages;
  bool has_messages = event.has(FieldId::kInput) && event.at(FieldId::kInput)["messages"].get(messages) == simdjson::SUCCESS;
  if (has_messages) take_owners(messages, false);
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
      std::count_if(run_.calls.begin(), run_.calls.end(), [&](const auto& id) { return calls_.find(id)->second.open; }));
  add(run_.steps.size(), "step");
  add(run_.text.size(), "text message");
  add(run_.reasoning.size(), "reasoning message");
  add(run_.spans.size(), "reasoning span");
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
    if (!calls_.find(id)->second.answered) pending.push_back(id);
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

}  // namespace assay
