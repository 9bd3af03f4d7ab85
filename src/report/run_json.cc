#include <fmt/format.h>

#include "report/journal.h"
#include "report/json_fields.h"
#include "report/reporters.h"

namespace assay {
namespace {

constexpr size_t kBufferBytes = 64u << 10;

// From the first turn's start to the last turn's end.
int64_t conversation_ms(const Json& result) {
  const Json& turns = field(result, "turns");
  if (!turns.is_array() || turns.empty()) return 0;
  const Json& start = field(turns.front(), "start_ts");
  const Json& end = field(turns.back(), "end_ts");
  return start.is_number() && end.is_number() ? end.get<int64_t>() - start.get<int64_t>() : 0;
}

Json failures(const Json& result) {
  Json out = Json::array();
  for (const Json& check : field(result, "checks")) {
    if (true_field(check, "passed") || true_field(check, "optional")) continue;
    int64_t turn = integer_field(check, "turn");
    out.push_back((turn > 0 ? fmt::format("[turn {}] ", turn) : "") + text_field(check, "message"));
  }
  return out;
}

Json test_json(const Json& result) {
  std::string status = text_field(result, "status");
  Json out = {{"name", field(result, "name")}, {"file", field(result, "file")}, {"passed", status == "passed"}};
  if (status == "skipped") out["skipped"] = true;
  out["duration"] = conversation_ms(result);
  if (status == "error" || status == "timeout") out["error"] = text_field(result, "error");
  Json failed = failures(result);
  if (failed.empty() && status == "failed") failed.push_back(text_field(result, "error"));
  if (!failed.empty() && status != "passed") out["failures"] = std::move(failed);
  return out;
}

class RunJsonReporter final : public Reporter {
 public:
  explicit RunJsonReporter(Output& out) : out_(out) {}
  bool needs_journal() const override { return true; }

  Result<void> finish(const RunSummary& summary, const Journal& journal) override {
    std::string buffer = "{\"tests\":[";
    std::string_view separator = "\n";
    auto read = for_each_result(journal, [&](const Json& result) {
      buffer += separator;
      separator = ",\n";
      append_compact(test_json(result), buffer);
      if (buffer.size() < kBufferBytes) return;
      out_.write(buffer);
      buffer.clear();
    });
    if (!read) return read;
    buffer +=
        fmt::format("\n],\"passed\":{},\"failed\":{},\"total\":{}}}\n", summary.passed, summary.not_passed(), summary.total);
    out_.write(buffer);
    if (!out_.ok()) return fail(ErrorKind::kIo, "cannot write the JSON to standard output");
    return {};
  }

 private:
  Output& out_;
};

}  // namespace

std::unique_ptr<Reporter> make_run_json_reporter(Output& out) { return std::make_unique<RunJsonReporter>(out); }

}  // namespace assay
