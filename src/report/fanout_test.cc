#include "report/fanout.h"

#include <gtest/gtest.h>

#include "support/report_fixture.h"

namespace assay {
namespace {

// Writes down what it is told.
class Listener final : public Reporter {
 public:
  enum class Wants { kNothing, kJson, kJournal };
  Listener(std::string& heard, Wants wants) : heard_(heard), wants_(wants) {}
  void start(const RunInfo& info) override { heard_ += "start " + std::to_string(info.total) + "\n"; }
  void case_started(size_t index) override { heard_ += "started " + std::to_string(index) + "\n"; }
  void case_finished(const CaseResult& result) override { heard_ += "finished " + result.name + "\n"; }
  void case_recorded(std::string_view json) override { heard_ += "recorded " + std::string(json.substr(0, 10)) + "\n"; }
  void tick(Time) override { heard_ += "tick\n"; }
  bool wants_json() const override { return wants_ == Wants::kJson; }
  bool needs_journal() const override { return wants_ == Wants::kJournal; }
  Result<void> finish(const RunSummary& summary, const Journal& journal) override {
    heard_ += "finish " + std::to_string(summary.passed) + " of " + std::to_string(summary.total) + ", " +
              std::to_string(journal.size()) + " in the journal\n";
    return {};
  }

 private:
  std::string& heard_;
  Wants wants_;
};

std::string heard_by(Listener::Wants wants) {
  testing::CannedRun run;
  std::string heard;
  ReportHub hub(run.clock, run.redactor, run.dir.path());
  hub.add(std::make_unique<Listener>(heard, wants));
  hub.start({.total = 2, .agent_id = "a", .environment = {}, .options = {}});
  hub.case_started(0);
  hub.tick(run.clock.now());
  hub.case_finished(testing::canned_passed());
  EXPECT_TRUE(hub.finish({}).empty());
  EXPECT_EQ(hub.summary().passed, 1u);
  EXPECT_EQ(hub.summary().completed, run.clock.now());
  return heard;
}

TEST(ReportHub, TellsEachReporterInOrder) {
  std::string before = "start 2\nstarted 0\ntick\nfinished greets and remembers\n";
  EXPECT_EQ(heard_by(Listener::Wants::kNothing), before + "finish 1 of 2, 0 in the journal\n");
  EXPECT_EQ(heard_by(Listener::Wants::kJson), before + "recorded {\"index\":0\nfinish 1 of 2, 0 in the journal\n");
  EXPECT_EQ(heard_by(Listener::Wants::kJournal), before + "finish 1 of 2, 1 in the journal\n");
}

TEST(ReportHub, OneFailingReportStopsNoOther) {
  testing::CannedRun run;
  ReportHub hub(run.clock, run.redactor, run.dir.path());
  for (std::string name : {"no/a.jsonl", "no/b.json", "c.json", "no/d.html", "e.html"})
    hub.add(*make_file_reporter(run.dir / name, run.redactor));
  hub.start(testing::canned_info());
  hub.case_finished(testing::canned_passed());
  EXPECT_EQ(hub.finish({}).size(), 3u);
  EXPECT_FALSE(testing::read_file(run.dir / "c.json").empty());
  EXPECT_FALSE(testing::read_file(run.dir / "e.html").empty());
}

}  // namespace
}  // namespace assay
