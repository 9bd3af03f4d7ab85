#pragma once
#include <string>

#include "model/result.h"
#include "report/console_text.h"
#include "report/reporters.h"

namespace assay {

// "FAIL  name (212ms)": the one line every finished case has.
std::string console_case_line(const CaseResult& result, const ConsoleText& text);

// What a reader needs to know about a case below its line: for one that did not pass, the failing checks with their places
// and the turns concerned; with -v all turns, hooks and violations; with --debug the log. May be empty.
std::string console_case_details(const CaseResult& result, const ConsoleText& text, Verbosity verbosity);

}  // namespace assay
