#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "report/console_case.h"
#include "report/console_text.h"
#include "report/reporters.h"

namespace assay {
namespace {

constexpr size_t kSlowestShown = 5;
constexpr std::string_view kEraseLine = "\r\x1b[2K";

// Keeps counts and the names of the slowest cases, never a transcript.
class ConsoleReporter final : public Reporter {
 public:
  ConsoleReporter(Output& out, const Clock& clock, const Redactor& redactor, ConsoleOptions options)
      : out_(out),
        clock_(clock),
        options_(options),
        text_(redactor, options.color ? ConsoleText::Color::kOn : ConsoleText::Color::kOff) {}

  void start(const RunInfo& info) override {
    total_ = info.total;
    started_ = info.started;
    draw_progress(clock_.now());
  }

  void case_started(size_t index) override { in_flight_.insert(index); }

  void case_finished(const CaseResult& result) override {
    in_flight_.erase(result.index);  // a skipped case may never have started
    counts_.count(result.status);
    for (const Turn& turn : result.transcript.turns)
      violations_ += turn.violations.size();
    note_slow(result);
    std::string text = shown(result);
    print(text);
    if (!text.empty()) draw_progress(clock_.now());  // else the next tick does
  }

  void tick(Time now) override { draw_progress(now); }

  Result<void> finish(const RunSummary& summary, const Journal&) override {
    total_ = 0;
    print(slowest_text() + summary_text(summary));
    if (!out_.ok()) return fail(ErrorKind::kIo, "cannot write to the console");
    return {};
  }

 private:
  struct Slow {
    Duration duration;
    std::string name;  // fit to be shown
  };

  bool verbose() const { return options_.verbosity >= Verbosity::kVerbose; }

  std::string shown(const CaseResult& result) const {
    bool fine = result.passed() || result.status == Status::kSkipped;
    if (fine && (options_.verbosity == Verbosity::kQuiet || (options_.progress && !verbose()))) return {};
    return console_case_line(result, text_) + console_case_details(result, text_, options_.verbosity);
  }

  void note_slow(const CaseResult& result) {
    if (!verbose() || result.status == Status::kSkipped) return;
    auto slower = [](const Slow& a, const Slow& b) { return a.duration > b.duration; };
    Slow slow{result.duration, text_.line(result.name)};
    slowest_.insert(std::upper_bound(slowest_.begin(), slowest_.end(), slow, slower), std::move(slow));
    if (slowest_.size() > kSlowestShown) slowest_.pop_back();
  }

  std::string slowest_text() const {
    if (!verbose() || done() <= kSlowestShown) return {};
    std::string out = "\nslowest:\n";
    for (const Slow& slow : slowest_)
      out += fmt::format("  {:>8}  {}\n", format_duration(slow.duration), slow.name);
    return out;
  }

  std::string summary_text(const RunSummary& summary) const {
    std::vector<std::string> parts;
    auto part = [&](size_t n, std::string_view what, Tint tint) {
      if (n > 0) parts.push_back(text_.tinted(tint, fmt::format("{} {}", n, what)));
    };
    part(summary.passed, "passed", Tint::kGood);
    part(summary.failed, "failed", Tint::kBad);
    part(summary.errors, summary.errors == 1 ? "error" : "errors", Tint::kBad);
    part(summary.timeouts, summary.timeouts == 1 ? "timeout" : "timeouts", Tint::kBad);
    part(summary.skipped, "skipped", Tint::kWarn);
    part(summary.flaky, "flaky", Tint::kWarn);
    bool timed = summary.started != kNoTime && summary.completed != kNoTime;
    std::string took = timed ? " (" + format_duration(summary.completed - summary.started) + ")" : "";
    std::string cases = plural(static_cast<long long>(summary.total), "case");
    return fmt::format("\n{}{}{}{}\n", cases, parts.empty() ? "" : ": ", join(parts, ", "), took) + notes(summary);
  }

  std::string notes(const RunSummary& summary) const {
    std::string out;
    if (violations_ > 0) {
      std::string count = plural(static_cast<long long>(violations_), "protocol violation");
      out += fmt::format("{}{}\n", count, verbose() ? "" : " (-v lists them)");
    }
    if (!summary.interrupted.empty())
      out += text_.tinted(Tint::kWarn, text_.line(summary.interrupted)) + ": finished results are kept\n";
    else if (summary.passed + summary.not_passed() == 0)
      out += text_.tinted(Tint::kWarn, "warning: ") +
             (summary.total == 0 ? "there was no case to run\n" : "no case was run: all were skipped\n");
    return out;
  }

  size_t done() const { return counts_.passed + counts_.not_passed() + counts_.skipped; }

  void print(std::string_view text) {
    if (text.empty()) return;
    bool erase = std::exchange(progress_shown_, false);
    out_.write((erase ? std::string(kEraseLine) : std::string()).append(text));
  }

  void draw_progress(Time now) {
    if (!options_.progress || total_ == 0) return;
    double seconds = started_ == kNoTime ? 0 : to_ms(now - started_) / 1000;
    std::string rate = seconds >= 1 ? fmt::format(", {:.1f}/s", static_cast<double>(done()) / seconds) : "";
    std::string line = fmt::format("[{}/{}] {} passed, {} failed, {} in flight, {:.0f}s{}", done(), total_, counts_.passed,
                                   counts_.not_passed(), in_flight_.size(), std::floor(seconds), rate);
    auto width = static_cast<size_t>(std::max(out_.columns() - 1, 1));
    out_.write(std::string(kEraseLine) + line.substr(0, width));
    progress_shown_ = true;
  }

  Output& out_;
  const Clock& clock_;
  ConsoleOptions options_;
  ConsoleText text_;
  RunSummary counts_;
  size_t total_ = 0;  // 0: no progress to show
  Time started_ = kNoTime;
  std::set<size_t> in_flight_;
  size_t violations_ = 0;
  std::vector<Slow> slowest_;  // slowest first
  bool progress_shown_ = false;
};

}  // namespace

std::unique_ptr<Reporter> make_console_reporter(Output& out, const Clock& clock, const Redactor& redactor,
                                                ConsoleOptions options) {
  return std::make_unique<ConsoleReporter>(out, clock, redactor, options);
}

}  // namespace assay
