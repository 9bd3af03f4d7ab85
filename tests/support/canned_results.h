#pragma once
#include <vector>

#include "base/redact.h"
#include "model/result.h"

namespace assay::testing {

inline constexpr std::string_view kCannedSecret = "sk-canned-0123456789";

// Results of every status, one of them hostile (ANSI escapes, HTML, bidi overrides, a secret, invalid UTF-8), with fixed
// times: what every reporter is shown, and what its golden file was made from. In load order.
std::vector<CaseResult> canned_results();
CaseResult canned_passed();
CaseResult canned_failed();
CaseResult canned_error();
CaseResult canned_timeout();
CaseResult canned_skipped();
CaseResult canned_hostile();

RunInfo canned_info();
Time canned_time(int64_t ms);  // after the canned run's start
void add_canned_secret(Redactor& redactor);

}  // namespace assay::testing
