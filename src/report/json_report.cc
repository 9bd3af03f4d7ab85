#include "report/journal.h"
#include "report/reporters.h"
#include "report/run_facts.h"
#include "report/safe_file.h"

namespace assay {
namespace {

// One JSON document, one result per line, written straight from the journal.
class JsonReporter final : public Reporter {
 public:
  JsonReporter(std::string path, const Redactor& redactor) : path_(std::move(path)), redactor_(redactor) {}

  void start(const RunInfo& info) override { info_ = info; }
  bool needs_journal() const override { return true; }

  Result<void> finish(const RunSummary& summary, const Journal& journal) override {
    SafeFile file(path_);
    file.write("{\n  \"summary\": " + to_compact(summary_json(info_, summary, redactor_)));
    file.write(",\n  \"environment\": " + to_compact(environment_json(info_, redactor_)));
    file.write(",\n  \"results\": [");
    std::string_view separator = "\n    ";
    auto read = journal.for_each([&](std::string_view result) {
      file.write(separator);
      file.write(result);
      separator = ",\n    ";
    });
    if (!read) return read;
    file.write("\n  ],\n  \"metadata\": " + to_compact(metadata_json(info_, summary, redactor_)) + "\n}\n");
    return file.commit();
  }

 private:
  std::string path_;
  const Redactor& redactor_;
  RunInfo info_;
};

}  // namespace

std::unique_ptr<Reporter> make_json_reporter(std::string path, const Redactor& redactor) {
  return std::make_unique<JsonReporter>(std::move(path), redactor);
}

}  // namespace assay
