#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/redact.h"
#include "report/journal.h"
#include "report/reporter.h"

namespace assay {

// Everything that is told about a run: owns the reporters, the journal and the counts. A result is serialised once, and
// only if somebody reads it. Not thread-safe: all calls come from the one reporting thread. A report that cannot be
// written never stops the others.
class ReportHub {
 public:
  ReportHub(const Clock& clock, const Redactor& redactor, std::string temp_dir);

  void add(std::unique_ptr<Reporter> reporter);

  void start(const RunInfo& info);
  void case_started(size_t index);
  void case_finished(const CaseResult& result);
  void tick(Time now);
  // `interrupted` says by what, or is empty. Answers all that could not be written.
  Errors finish(std::string interrupted);

  const RunSummary& summary() const { return summary_; }

 private:
  void record(const CaseResult& result);

  const Clock& clock_;
  const Redactor& redactor_;
  Journal journal_;
  std::vector<std::unique_ptr<Reporter>> reporters_;
  RunSummary summary_;
  std::optional<Error> journal_error_;  // the first one: the later ones say the same
};

}  // namespace assay
