#pragma once
#include <string>

#include "base/redact.h"
#include "model/result.h"

namespace assay {

// "2026-11-15T20:00:00.000Z"; empty for kNoTime.
std::string iso_time(Time t);

// Passed of everything that was not skipped, 0 to 100, two decimals.
double pass_rate(const RunSummary& summary);

// The parts of a report that are about the run as a whole (docs/formats/report.md), secrets replaced.
Json summary_json(const RunInfo& info, const RunSummary& summary, const Redactor& redactor);
Json environment_json(const RunInfo& info, const Redactor& redactor);
Json options_json(const RunInfo& info, const Redactor& redactor);
Json metadata_json(const RunInfo& info, const RunSummary& summary, const Redactor& redactor);

inline constexpr std::string_view kReportSchema = "1.0";

}  // namespace assay
