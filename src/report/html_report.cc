#include <fmt/format.h>

#include "base/text.h"
#include "report/html_result.h"
#include "report/html_style.h"
#include "report/html_writer.h"
#include "report/journal.h"
#include "report/json_fields.h"
#include "report/reporters.h"
#include "report/run_facts.h"
#include "report/safe_file.h"

namespace assay {
namespace {

// Nothing may be loaded or run: a report shows text of agents nobody trusts.
constexpr std::string_view kPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

// One page that opens without a server, written result by result from the journal.
class HtmlReporter final : public Reporter {
 public:
  HtmlReporter(std::string path, const Redactor& redactor) : path_(std::move(path)), redactor_(redactor) {}

  void start(const RunInfo& info) override { info_ = info; }
  bool needs_journal() const override { return true; }

  Result<void> finish(const RunSummary& summary, const Journal& journal) override {
    SafeFile file(path_);
    HtmlWriter html([&](std::string_view text) { file.write(text); });
    if (auto written = write_page(html, summary, journal); !written) return written;
    return file.commit();
  }

 private:
  Result<void> write_page(HtmlWriter& html, const RunSummary& summary, const Journal& journal) {
    html.doctype();
    auto page = html.open("html", {{"lang", "en"}});
    write_head(html);
    auto body = html.open("body");
    html.leaf("h1", "assay report: " + redactor_.apply(info_.agent_id));
    write_summary(html, summary_json(info_, summary, redactor_), metadata_json(info_, summary, redactor_));
    auto main = html.open("main");
    write_columns(html);
    return for_each_result(journal, [&](const Json& result) { write_html_result(html, result); });
  }

  void write_head(HtmlWriter& html) {
    auto head = html.open("head");
    html.single("meta", {{"charset", "utf-8"}});
    html.single("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", kPolicy}});
    html.single("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    html.leaf("title", "assay report: " + redactor_.apply(info_.agent_id));
    html.style(kHtmlStyle);
  }

  void write_columns(HtmlWriter& html) {
    auto row = html.open("div", {{"class", "row head"}});
    for (std::string_view name : {"status", "name", "file", "duration"})
      html.leaf("span", name);
  }

  void write_summary(HtmlWriter& html, const Json& summary, const Json& metadata) {
    auto list = html.open("dl", {{"class", "facts"}});
    for (std::string_view name : {"total", "passed", "failed", "errors", "timeouts", "skipped"})
      fact(html, name, text_form(field(summary, name)));
    fact(html, "pass rate", text_form(field(summary, "overall_pass_rate")) + " %");
    fact(html, "duration", format_duration(std::chrono::milliseconds(integer_field(summary, "duration_ms"))));
    fact(html, "started", text_field(metadata, "started_at"));
    fact(html, "version", text_field(metadata, "version"));
    std::string interrupted = text_field(summary, "interrupted");
    if (!interrupted.empty()) fact(html, "incomplete", interrupted);
  }

  void fact(HtmlWriter& html, std::string_view name, std::string_view value) {
    auto pair = html.open("div");
    html.leaf("dt", name);
    html.leaf("dd", value);
  }

  std::string path_;
  const Redactor& redactor_;
  RunInfo info_;
};

}  // namespace

std::unique_ptr<Reporter> make_html_reporter(std::string path, const Redactor& redactor) {
  return std::make_unique<HtmlReporter>(std::move(path), redactor);
}

}  // namespace assay
