#include "serve/match.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

bool found(const Pattern& pattern, std::string_view subject) { return pattern.search(subject) == Pattern::Match::kYes; }

bool holds(const When& when, const RunRequest& request) {
  if (when.turn && *when.turn != request.turn) return false;
  if (when.tool_result && !(request.tool_result && found(*when.tool_result, *request.tool_result))) return false;
  for (const auto& tool : when.after_tools)
    if (std::find(request.answered.begin(), request.answered.end(), tool) == request.answered.end()) return false;
  return !when.message || found(*when.message, request.message);
}

}  // namespace

bool RulePicker::spend(const AgentScript& agent, int rule, const RunRequest& request) {
  const auto& times = agent.rules[static_cast<size_t>(rule)].times;
  if (!times) return true;
  int64_t& played = played_[fmt::format("{}/{}/{}", agent.name, rule, request.thread_id)];
  return played < *times && ++played;
}

int RulePicker::pick(const AgentScript& agent, const RunRequest& request) {
  for (size_t i = 0; i < agent.rules.size(); ++i)
    if (holds(agent.rules[i].when, request) && spend(agent, static_cast<int>(i), request)) return static_cast<int>(i);
  return -1;
}

}  // namespace assay
