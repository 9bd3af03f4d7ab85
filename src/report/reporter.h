#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "model/result.h"

namespace assay {

class Journal;  // report/journal.h

// Told about a run as it goes. All calls come from the one reporting thread, in this order:
// start, any number of case_started / case_finished / tick, finish.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void start(const RunInfo&) {}
  virtual void case_started(size_t /*index*/) {}
  virtual void case_finished(const CaseResult&) {}
  virtual void tick(Time /*now*/) {}  // about ten times a second, for progress
  // The journal holds every finished case; file formats are made from it here.
  virtual Result<void> finish(const RunSummary& summary, const Journal& journal) = 0;
  virtual bool needs_journal() const { return false; }
  // A reporter that writes results as they come gets the JSON of each (docs/formats/report.md), secrets replaced,
  // right after its case_finished.
  virtual void case_recorded(std::string_view /*json*/) {}
  virtual bool wants_json() const { return false; }
};

}  // namespace assay
