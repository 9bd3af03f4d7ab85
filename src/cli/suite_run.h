#pragma once
#include <vector>

#include "base/env.h"
#include "base/redact.h"
#include "cli/options.h"
#include "load/suite.h"

namespace assay {

// Runs the cases of a loaded suite under the given flags, tells every reporter, and answers the exit code.
int run_and_report(Env& env, const RunFlags& flags, const Suite& suite, std::vector<const Case*> cases, Redactor& secrets);

// Are colours wanted on stdout? `word` is auto, always or never.
bool use_color(const Env& env, std::string_view word);

// Mistakes on stderr, or as {"error": …} on stdout with --json. Answers exit code 2.
int report_mistakes(Env& env, const Errors& errors, bool json, const Redactor& secrets);

}  // namespace assay
