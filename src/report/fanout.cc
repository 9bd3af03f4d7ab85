#include "report/fanout.h"

#include <algorithm>

#include "report/reporters.h"

namespace assay {

ReportHub::ReportHub(const Clock& clock, const Redactor& redactor, std::string temp_dir)
    : clock_(clock), redactor_(redactor), journal_(std::move(temp_dir)) {}

void ReportHub::add(std::unique_ptr<Reporter> reporter) { reporters_.push_back(std::move(reporter)); }

void ReportHub::start(const RunInfo& info) {
  summary_.total = info.total;
  summary_.started = info.started;
  for (auto& reporter : reporters_)
    reporter->start(info);
}

void ReportHub::case_started(size_t index) {
  for (auto& reporter : reporters_)
    reporter->case_started(index);
}

void ReportHub::case_finished(const CaseResult& result) {
  summary_.count(result.status);
  for (auto& reporter : reporters_)
    reporter->case_finished(result);
  record(result);
}

void ReportHub::record(const CaseResult& result) {
  bool journal = std::ranges::any_of(reporters_, [](const auto& r) { return r->needs_journal(); });
  bool json = std::ranges::any_of(reporters_, [](const auto& r) { return r->wants_json(); });
  if (!journal && !json) return;
  std::string text = to_compact(result_json(result, redactor_));
  for (auto& reporter : reporters_)
    if (reporter->wants_json()) reporter->case_recorded(text);
  if (!journal) return;
  auto kept = journal_.append(result.index, text);
  if (!kept && !journal_error_) journal_error_ = kept.error();
}

void ReportHub::tick(Time now) {
  for (auto& reporter : reporters_)
    reporter->tick(now);
}

Errors ReportHub::finish(std::string interrupted) {
  summary_.interrupted = std::move(interrupted);
  summary_.completed = clock_.now();
  Errors errors;
  if (journal_error_) errors.push_back(*journal_error_);
  for (auto& reporter : reporters_)
    if (auto done = reporter->finish(summary_, journal_); !done) errors.push_back(done.error());
  return errors;
}

}  // namespace assay
