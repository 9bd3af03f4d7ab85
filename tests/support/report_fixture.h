#pragma once
#include <string>
#include <vector>

#include "base/env.h"
#include "report/fanout.h"
#include "report/reporters.h"
#include "support/canned_results.h"
#include "support/files.h"

namespace assay::testing {

class TextOutput final : public Output {
 public:
  explicit TextOutput(int columns = 80) : columns_(columns) {}
  void write(std::string_view more) override { text += more; }
  bool is_terminal() const override { return false; }
  int columns() const override { return columns_; }
  bool ok() const override { return ok_; }
  void close() { ok_ = false; }

  std::string text;

 private:
  int columns_;
  bool ok_ = true;
};

class FixedClock final : public Clock {
 public:
  Time now() const override { return at; }
  Time at = canned_time(2600);
};

// The canned run through a hub: what a reporter writes about it.
struct CannedRun {
  CannedRun() { add_canned_secret(redactor); }

  // Results finish in the reverse of their load order.
  Errors report(std::unique_ptr<Reporter> reporter, std::string interrupted = {}) {
    ReportHub hub(clock, redactor, dir.path());
    hub.add(std::move(reporter));
    hub.start(canned_info());
    std::vector<CaseResult> results = canned_results();
    for (auto it = results.rbegin(); it != results.rend(); ++it) {
      hub.case_started(it->index);
      hub.case_finished(*it);
    }
    return hub.finish(std::move(interrupted));
  }

  TempDir dir;
  FixedClock clock;
  Redactor redactor;
};

}  // namespace assay::testing
