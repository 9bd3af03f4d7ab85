#include <fmt/format.h>

#include "agent/conformance.h"
#include "base/text.h"
#include "cli/conform.h"
#include "report/reporters.h"

namespace assay {
namespace {

std::string_view severity_name(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

size_t times_broken(const ConformanceRule& rule, const std::vector<Violation>& violations) {
  auto count = std::count_if(violations.begin(), violations.end(), [&](const auto& v) { return v.rule == rule.name; });
  return static_cast<size_t>(count);
}

}  // namespace

std::string_view grade_name(Grade grade) { return grade == Grade::kPass ? "PASS" : grade == Grade::kWarn ? "WARN" : "FAIL"; }

std::string grade_label(Grade grade, const ConsoleText& text) {
  Tint tint = grade == Grade::kPass ? Tint::kGood : grade == Grade::kWarn ? Tint::kWarn : Tint::kBad;
  return text.tinted(tint, grade_name(grade));
}

std::string violation_lines(const std::vector<Violation>& violations, const ConsoleText& text) {
  std::string out;
  for (const auto& v : violations)
    out += fmt::format("  {} {} at event {}: {}\n",
                       text.tinted(v.severity == Severity::kError ? Tint::kBad : Tint::kWarn, severity_name(v.severity)),
                       text.line(v.rule), v.event, text.line(v.message));
  return out;
}

std::string broken_rules(const std::vector<Violation>& violations) {
  if (violations.empty()) return "no rule was broken\n";
  std::string out = "rules broken:\n";
  for (const auto& rule : conformance_rules())
    if (size_t times = times_broken(rule, violations))
      out += fmt::format("{:>5}  {:<7}  {:<23}  {}\n", times, severity_name(rule.severity), rule.name, rule.sentence);
  return out;
}

Json violations_json(const std::vector<Violation>& violations) {
  Json out = Json::array();
  for (const auto& v : violations)
    out.push_back({{"rule", v.rule}, {"severity", severity_name(v.severity)}, {"event", v.event}, {"message", v.message}});
  return out;
}

Json broken_rules_json(const std::vector<Violation>& violations) {
  Json out = Json::array();
  for (const auto& rule : conformance_rules())
    if (size_t times = times_broken(rule, violations))
      out.push_back({{"rule", rule.name}, {"severity", severity_name(rule.severity)}, {"count", times}});
  return out;
}

Json judged_json(const Turn& turn, const Redactor& secrets) {
  CaseResult result;
  result.transcript.turns.push_back(turn);
  Json whole = std::move(result_json(result, secrets)["turns"][0]);
  Json out = Json::object();
  out["events"] = turn.events;
  for (const char* key : {"outcome", "error", "text", "tool_calls", "state", "violations"})
    if (whole.contains(key)) out[key] = std::move(whole[key]);
  for (auto& call : out["tool_calls"])
    for (const char* key : {"start_ts", "end_ts", "result_ts"})
      call.erase(key);
  return out;
}

}  // namespace assay
