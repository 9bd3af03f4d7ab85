#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "report/journal.h"
#include "report/reporters.h"
#include "report/run_facts.h"
#include "report/safe_file.h"

namespace assay {
namespace {

// A line is one write: a killed run leaves every finished result, readable. After the first failure nothing more is
// written, and a line that got half into the file is taken back.
class JsonlReporter final : public Reporter {
 public:
  JsonlReporter(std::string path, const Redactor& redactor) : path_(std::move(path)), redactor_(redactor) {}
  ~JsonlReporter() override {
    if (fd_ >= 0) ::close(fd_);
  }

  void start(const RunInfo& info) override {
    info_ = info;
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) error_ = errno;
    record("start", {{"timestamp", iso_time(info.started)},
                     {"agent_id", redactor_.apply(info.agent_id)},
                     {"total_cases", info.total},
                     {"environment", environment_json(info, redactor_)},
                     {"version", ASSAY_VERSION},
                     {"schema", kReportSchema},
                     {"options", options_json(info, redactor_)}});
  }

  void case_recorded(std::string_view json) override { line("result", json); }
  bool wants_json() const override { return true; }

  Result<void> finish(const RunSummary& summary, const Journal&) override {
    Json fields = summary_json(info_, summary, redactor_);
    fields["completed_at"] = iso_time(summary.completed);
    record("summary", fields);
    if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0 && error_ == 0) error_ = errno;
    if (error_ != 0) return unexpected<Error>(write_error(path_, error_));
    return {};
  }

 private:
  void record(std::string_view type, const Json& fields) { line(type, to_compact(fields)); }

  // The type becomes the first member of `object`, a JSON object that has members.
  void line(std::string_view type, std::string_view object) {
    if (error_ != 0) return;
    std::string text = R"({"type":")" + std::string(type) + "\",";
    text += object.substr(1);
    text += '\n';
    error_ = write_all(fd_, text);
    if (error_ == 0)
      written_ += static_cast<off_t>(text.size());
    else if (::ftruncate(fd_, written_) != 0)
      return;
  }

  std::string path_;
  const Redactor& redactor_;
  RunInfo info_;
  int fd_ = -1;
  int error_ = 0;  // errno of the first failure
  off_t written_ = 0;
};

}  // namespace

std::unique_ptr<Reporter> make_jsonl_reporter(std::string path, const Redactor& redactor) {
  return std::make_unique<JsonlReporter>(std::move(path), redactor);
}

}  // namespace assay
