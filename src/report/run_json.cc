#include <fmt/format.h>

#include <algorithm>

#include "report/reporters.h"

namespace assay {
namespace {

constexpr size_t kBufferBytes = 64u << 10;

// From the first turn's start to the last turn's end.
int64_t conversation_ms(const std::vector<Turn>& turns) {
  if (turns.empty() || turns.front().start == kNoTime || turns.back().end == kNoTime) return 0;
  return unix_ms(turns.back().end) - unix_ms(turns.front().start);
}

Json failures(const CaseResult& result) {
  Json out = Json::array();
  for (const auto& check : result.checks)
    if (!check.passed && !check.optional)
      out.push_back((check.turn > 0 ? fmt::format("[turn {}] ", check.turn) : "") + check.message);
  return out;
}

Json test_json(const CaseResult& result) {
  Json out = {{"name", result.name}, {"file", result.file}, {"passed", result.passed()}};
  if (result.status == Status::kSkipped) out["skipped"] = true;
  out["duration"] = conversation_ms(result.transcript.turns);
  if (result.status == Status::kError || result.status == Status::kTimeout) out["error"] = result.error;
  Json failed = failures(result);
  if (failed.empty() && result.status == Status::kFailed) failed.push_back(result.error);
  if (!failed.empty() && !result.passed()) out["failures"] = std::move(failed);
  return out;
}

// Keeps the short text of each test, no more: the journal and its parsing would cost more than the tests of a replay.
class RunJsonReporter final : public Reporter {
 public:
  RunJsonReporter(Output& out, const Redactor& redactor) : out_(out), redactor_(redactor) {}

  void case_finished(const CaseResult& result) override {
    Json row = test_json(result);
    redactor_.apply_to_strings(row);
    rows_.emplace_back(result.index, to_compact(row));
  }

  Result<void> finish(const RunSummary& summary, const Journal&) override {
    std::sort(rows_.begin(), rows_.end());
    std::string buffer = "{\"tests\":[";
    std::string_view separator = "\n";
    for (const auto& [index, row] : rows_) {
      buffer += separator;
      separator = ",\n";
      buffer += row;
      if (buffer.size() < kBufferBytes) continue;
      out_.write(buffer);
      buffer.clear();
    }
    buffer +=
        fmt::format("\n],\"passed\":{},\"failed\":{},\"total\":{}}}\n", summary.passed, summary.not_passed(), summary.total);
    out_.write(buffer);
    if (!out_.ok()) return fail(ErrorKind::kIo, "cannot write the JSON to standard output");
    return {};
  }

 private:
  Output& out_;
  const Redactor& redactor_;
  std::vector<std::pair<size_t, std::string>> rows_;
};

}  // namespace

std::unique_ptr<Reporter> make_run_json_reporter(Output& out, const Redactor& redactor) {
  return std::make_unique<RunJsonReporter>(out, redactor);
}

}  // namespace assay
