#pragma once
#include <memory>
#include <string>

#include "base/env.h"
#include "base/redact.h"
#include "report/reporter.h"

namespace assay {

enum class Verbosity { kQuiet, kNormal, kVerbose, kDebug };

struct ConsoleOptions {
  Verbosity verbosity = Verbosity::kNormal;
  bool color = false;
  bool progress = false;  // a line that is rewritten: terminals only
};

// For people: progress, failures with their source line, summary.
std::unique_ptr<Reporter> make_console_reporter(Output& out, const Clock& clock, const Redactor& redactor,
                                                ConsoleOptions options);
// `--json` of `run`, on `out`.
std::unique_ptr<Reporter> make_run_json_reporter(Output& out, const Redactor& redactor);
// Report files. Written beside their name and renamed when the run is over.
std::unique_ptr<Reporter> make_json_reporter(std::string path, const Redactor& redactor);
std::unique_ptr<Reporter> make_html_reporter(std::string path, const Redactor& redactor);
// `.jsonl`: written and flushed line by line.
std::unique_ptr<Reporter> make_jsonl_reporter(std::string path, const Redactor& redactor);

// A reporter for a file, by its extension; the error lists the extensions there are.
Result<std::unique_ptr<Reporter>> make_file_reporter(const std::string& path, const Redactor& redactor);

// The complete JSON of one result, secrets replaced (docs/formats/report.md).
Json result_json(const CaseResult& result, const Redactor& redactor);

}  // namespace assay
