#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/conform.h"
#include "cli/suite_run.h"

namespace assay {
namespace {

constexpr int kSignalBase = 128;

void add_secrets(const AgentSpec& agent, Redactor& secrets) {
  for (const auto& [name, value] : agent.headers) {
    if (!is_secret_header(name)) continue;
    secrets.add(value);
    // "Bearer abc": the part behind the scheme is the secret that appears elsewhere.
    if (size_t blank = value.find(' '); blank != std::string::npos) secrets.add(std::string_view(value).substr(blank + 1));
  }
}

std::string told(const ProbeResult& probe, const ConsoleText& text) {
  std::string out = fmt::format("{} {}: {}, {} ({})\n", grade_label(probe.grade, text), probe.name, outcome_name(probe.outcome),
                                plural(probe.events, "event"), format_duration(probe.duration));
  for (const auto& note : probe.notes)
    out += "  " + text.line(note) + "\n";
  return out + violation_lines(probe.violations, text);
}

Json probe_json(const ProbeResult& probe) {
  Json out = Json::object();
  out["probe"] = probe.name;
  out["verdict"] = lower(grade_name(probe.grade));
  out["outcome"] = outcome_name(probe.outcome);
  if (!probe.notes.empty()) out["notes"] = probe.notes;
  out["events"] = probe.events;
  out["duration_ms"] = std::llround(to_ms(probe.duration));
  out["violations"] = violations_json(probe.violations);
  return out;
}

// What was found so far.
struct Findings {
  std::vector<ProbeResult> probes;

  bool reached() const { return !probes.empty() && probes[0].answered; }
  long long count(Grade grade) const {
    return std::count_if(probes.begin(), probes.end(), [&](const auto& probe) { return probe.grade == grade; });
  }
  std::vector<Violation> violations() const {
    std::vector<Violation> out;
    for (const auto& probe : probes)
      out.insert(out.end(), probe.violations.begin(), probe.violations.end());
    return out;
  }
};

std::string summary(const Findings& found) {
  auto all = static_cast<long long>(found.probes.size());
  std::string left_out = all == 1 && found.probes[0].outcome == Outcome::kHttpError
                             ? "the other probes were left out: there is no stream to judge\n"
                             : "";
  return fmt::format("{}\n{}{}: {} passed, {} with warnings, {} failed\n", left_out, broken_rules(found.violations()),
                     plural(all, "probe"), found.count(Grade::kPass), found.count(Grade::kWarn), found.count(Grade::kFail));
}

Json findings_json(const ConformFlags& flags, const Findings& found, const Redactor& secrets) {
  Json out = Json::object();
  out["url"] = flags.agent.endpoint;
  out["passed"] = found.count(Grade::kFail) == 0;
  out["probes"] = Json::array();
  for (const auto& probe : found.probes)
    out["probes"].push_back(probe_json(probe));
  out["rules"] = broken_rules_json(found.violations());
  secrets.apply_to_strings(out);
  return out;
}

}  // namespace

int probe_url(Env& env, const ConformFlags& flags) {
  Redactor secrets;
  add_secrets(flags.agent, secrets);
  ConsoleText text(secrets, use_color(env, flags.color) ? ConsoleText::Color::kOn : ConsoleText::Color::kOff);
  Findings found;
  int signal = run_probes(env, {flags.agent, Limits{}, flags.message}, [&](const ProbeResult& probe) {
    found.probes.push_back(probe);
    if (!flags.json && probe.answered) env.out->write(told(probe, text));
  });
  if (signal == 0 && !found.reached()) {
    Error nobody{
        ErrorKind::kAgent, "nothing could be judged: " + (found.probes.empty() ? "" : join(found.probes[0].notes, "; ")), {}, {}};
    report_mistakes(env, {nobody}, flags.json, secrets);
    return kExitBroken;
  }
  env.out->write(flags.json ? to_compact(findings_json(flags, found, secrets)) + "\n" : summary(found));
  if (signal != 0) return kSignalBase + signal;
  return found.count(Grade::kFail) > 0 ? kExitFailed : kExitPassed;
}

}  // namespace assay
