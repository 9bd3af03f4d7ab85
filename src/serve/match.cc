#include "serve/match.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

// Then all are forgotten: threads may be made up without end.
constexpr size_t kMostCounts = 100'000;

bool found(const Pattern& pattern, std::string_view subject) { return pattern.search(subject) == Pattern::Match::kYes; }

bool all_in(const std::vector<std::string>& wanted, const std::vector<std::string>& given) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& name) { return std::find(given.begin(), given.end(), name) != given.end(); });
}

// Every member of `wanted` is in `given`, objects likewise; other values are equal.
bool contains(const Json& given, const Json& wanted) {
  if (!wanted.is_object()) return json_equal(given, wanted);
  if (!given.is_object()) return false;
  for (const auto& [key, value] : wanted.items()) {
    auto it = given.find(key);
    if (it == given.end() || !contains(*it, value)) return false;
  }
  return true;
}

bool fits(const ResumeMatch& match, const ResumeAnswer& answer) {
  if (match.id && *match.id != answer.interrupt_id) return false;
  if (match.status && *match.status != answer.status) return false;
  return !match.payload || found(*match.payload, text_form(answer.payload));
}

bool resumes(const ResumeMatch& match, const std::vector<ResumeAnswer>& answers) {
  if (match.given) return *match.given != answers.empty();
  return std::any_of(answers.begin(), answers.end(), [&](const auto& answer) { return fits(match, answer); });
}

bool holds(const When& when, const RunRequest& request) {
  auto text_found = [](const std::optional<Pattern>& pattern, const std::optional<std::string>& text) {
    return !pattern || (text && found(*pattern, *text));
  };
  std::optional<std::string> command;
  if (request.command_resume) command = text_form(*request.command_resume);
  return (!when.turn || *when.turn == request.turn) && text_found(when.tool_result, request.tool_result) &&
         text_found(when.tool_error, request.tool_error) && text_found(when.command_resume, command) &&
         all_in(when.after_tools, request.answered) && all_in(when.has_tool, request.tools) &&
         (!when.resume || resumes(*when.resume, request.resume)) &&
         (when.state.is_null() || contains(request.state, when.state)) && text_found(when.message, request.message);
}

}  // namespace

bool RulePicker::spend(const AgentScript& agent, int rule, const RunRequest& request) {
  const auto& times = agent.rules[static_cast<size_t>(rule)].times;
  if (!times) return true;
  if (played_.size() >= kMostCounts) played_.clear();
  int64_t& played = played_[fmt::format("{}/{}/{}", agent.name, rule, request.thread_id)];
  return played < *times && ++played;
}

int RulePicker::pick(const AgentScript& agent, const RunRequest& request) {
  for (size_t i = 0; i < agent.rules.size(); ++i)
    if (holds(agent.rules[i].when, request) && spend(agent, static_cast<int>(i), request)) return static_cast<int>(i);
  return -1;
}

}  // namespace assay
