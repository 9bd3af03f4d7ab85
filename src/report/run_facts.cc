#include "report/run_facts.h"

#include <fmt/format.h>

#include <cmath>

namespace assay {
namespace {

Json redacted(Json value, const Redactor& redactor) {
  redactor.apply_to_strings(value);
  return value;
}

Json object_or_empty(const Json& value) { return value.is_null() ? Json::object() : value; }

int64_t run_ms(const RunSummary& summary) {
  bool timed = summary.started != kNoTime && summary.completed != kNoTime;
  return timed ? unix_ms(summary.completed) - unix_ms(summary.started) : 0;
}

}  // namespace

std::string iso_time(Time t) {
  if (t == kNoTime) return {};
  using namespace std::chrono;
  sys_time<milliseconds> at{milliseconds(unix_ms(t))};
  auto day = floor<days>(at);
  year_month_day date(day);
  hh_mm_ss<milliseconds> clock(at - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", int(date.year()), unsigned(date.month()), unsigned(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

double pass_rate(const RunSummary& summary) {
  size_t ran = summary.passed + summary.not_passed();
  if (ran == 0) return 0;
  return std::round(10000.0 * static_cast<double>(summary.passed) / static_cast<double>(ran)) / 100.0;
}

Json summary_json(const RunInfo& info, const RunSummary& summary, const Redactor& redactor) {
  Json out = {{"total", summary.total},       {"passed", summary.passed},
              {"failed", summary.failed},     {"errors", summary.errors},
              {"timeouts", summary.timeouts}, {"skipped", summary.skipped},
              {"flaky", summary.flaky},       {"duration_ms", run_ms(summary)},
              {"agent_id", info.agent_id},    {"overall_pass_rate", pass_rate(summary)}};
  if (!summary.interrupted.empty()) out["interrupted"] = summary.interrupted;
  return redacted(std::move(out), redactor);
}

Json environment_json(const RunInfo& info, const Redactor& redactor) {
  return redacted(object_or_empty(info.environment), redactor);
}

Json options_json(const RunInfo& info, const Redactor& redactor) { return redacted(object_or_empty(info.options), redactor); }

Json metadata_json(const RunInfo& info, const RunSummary& summary, const Redactor& redactor) {
  return {{"version", ASSAY_VERSION},
          {"schema", kReportSchema},
          {"started_at", iso_time(summary.started)},
          {"completed_at", iso_time(summary.completed)},
          {"options", options_json(info, redactor)}};
}

}  // namespace assay
