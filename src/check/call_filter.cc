#include "check/call_filter.h"

#include <fmt/format.h>

#include "base/text.h"
#include "check/describe.h"
#include "check/read_pattern.h"

namespace assay {
namespace {

using Match = Pattern::Match;

// Collects the reasons of one call.
class Examination {
 public:
  explicit Examination(CallFilter::Answer& answer) : answer_(answer) {}

  // `value` null: missing, which is found by no pattern.
  void pattern(const Pattern& pattern, const Json* value, Match wanted, const std::string& subject) {
    Match match = value ? pattern.search(text_form(*value)) : Match::kNo;
    if (match == Match::kLimit)
      answer_.limit = fmt::format("the pattern {} ran into the match limit", show_text(pattern.text()));
    else if (match != wanted)
      answer_.reasons.push_back(fmt::format("{} is {}", subject, value ? show(*value) : "missing"));
  }
  void matcher(const Matcher& matcher, const Json* value, std::string_view subject) {
    std::string why;
    Match match = matcher.match(value, why);
    if (match == Match::kLimit) answer_.limit = why;
    if (match == Match::kNo) answer_.reasons.push_back(fmt::format("{} {}", subject, why));
  }
  void no(std::string reason) { answer_.reasons.push_back(std::move(reason)); }

 private:
  CallFilter::Answer& answer_;
};

std::string argument(const std::string& path) { return fmt::format("argument {}", quote(path)); }

bool is_allowed(const std::set<std::string>& allowed, const std::string& key) {
  auto covers = [&](const std::string& path) { return path == key || path.starts_with(key + "."); };
  return std::any_of(allowed.begin(), allowed.end(), covers);
}

void examine_arguments(const CallFilter& filter, const ToolCall& call, Examination& examination) {
  for (const auto& [path, pattern] : filter.args_match)
    examination.pattern(pattern, find_path(call.arguments, path), Match::kYes, argument(path));
  for (const auto& [path, pattern] : filter.args_not_match)
    examination.pattern(pattern, find_path(call.arguments, path), Match::kNo, argument(path));
  if (filter.args) examination.matcher(*filter.args, &call.arguments, "arguments");
  if (!filter.args_only || !call.arguments.is_object()) return;
  for (const auto& [key, unused] : call.arguments.items())
    if (!is_allowed(*filter.args_only, key)) examination.no(argument(key) + " is not expected");
}

void examine_result(const CallFilter& filter, const ToolCall& call, Examination& examination) {
  const Json* result = call.result ? &*call.result : nullptr;
  if (filter.result_match) examination.pattern(*filter.result_match, result, Match::kYes, "result");
  if (filter.result_not_match) examination.pattern(*filter.result_not_match, result, Match::kNo, "result");
  if (!filter.result) return;
  if (result)
    examination.matcher(*filter.result, result, "result");
  else
    examination.no("result is missing");
}

}  // namespace

CallFilter::Answer CallFilter::test(const ToolCall& call) const {
  Answer answer;
  Examination examination(answer);
  examine_arguments(*this, call, examination);
  examine_result(*this, call, examination);
  return answer;
}

std::string CallFilter::describe() const {
  std::vector<std::string> words;
  for (const auto& [path, pattern] : args_match)
    words.push_back(fmt::format("{} matching {}", argument(path), show_text(pattern.text())));
  for (const auto& [path, pattern] : args_not_match)
    words.push_back(fmt::format("{} not matching {}", argument(path), show_text(pattern.text())));
  if (args) words.push_back(fmt::format("arguments ({})", args->describe()));
  if (args_only) words.push_back("no other arguments");
  if (result_match) words.push_back(fmt::format("a result matching {}", show_text(result_match->text())));
  if (result_not_match) words.push_back(fmt::format("no result matching {}", show_text(result_not_match->text())));
  if (result) words.push_back(fmt::format("a result ({})", result->describe()));
  return join(words, " and ");
}

void read_arg_patterns(Reader& reader, const Node& node, std::string_view what, std::vector<CallFilter::ArgPattern>& out) {
  if (!reader.map(node, what)) return;
  for (const auto& member : node.members)
    if (auto pattern = read_pattern(reader, member.value, what)) out.emplace_back(member.key.text, std::move(*pattern));
}

std::vector<const ToolCall*> calls_in(const Scope& scope) {
  std::vector<const ToolCall*> calls;
  for (const Turn* turn = scope.first; turn != scope.last; ++turn)
    for (const auto& call : turn->tool_calls)
      calls.push_back(&call);
  return calls;
}

}  // namespace assay
