// Report files and the --json of run: goldens of the canned run, hostile text, files that cannot be written.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/text.h"
#include "support/golden.h"
#include "support/report_fixture.h"

namespace assay {
namespace {

using testing::CannedRun;
using testing::expect_golden;
using testing::read_file;
using testing::TextOutput;

// Reports the canned run into a file of this name and answers what is in it.
std::string written(const std::string& name, std::string interrupted = {}) {
  CannedRun run;
  auto reporter = make_file_reporter(run.dir / name, run.redactor);
  EXPECT_TRUE(reporter);
  EXPECT_TRUE(run.report(std::move(*reporter), std::move(interrupted)).empty());
  EXPECT_EQ(run.dir.entries(), 1u) << "nothing else is left beside the report";
  return read_file(run.dir / name);
}

void expect_no_control_characters(const std::string& text) {
  for (unsigned char c : text)
    EXPECT_TRUE(c >= 0x20 || c == '\n') << static_cast<int>(c);
  EXPECT_TRUE(is_valid_utf8(text));
  EXPECT_EQ(text.find(testing::kCannedSecret), std::string::npos);
}

TEST(JsonReport, Golden) { expect_golden("report.json", written("report.json")); }

TEST(JsonReport, HostileTextStaysInsideItsStrings) {
  std::string text = written("report.json");
  expect_no_control_characters(text);
  auto report = parse_json(text);
  ASSERT_TRUE(report);
  ASSERT_EQ((*report)["results"].size(), 6u);
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ((*report)["results"][i]["index"], i);
  std::string said = (*report)["results"][5]["output"];
  EXPECT_EQ(said, "\x1b[2J\x1b]0;owned\x07<script>alert('x')</script>\"&\r\xe2\x80\xae***\xef\xbf\xbd]]>\n| end");
}

TEST(JsonReport, SaysThatTheRunWasInterrupted) {
  auto report = parse_json(written("report.json", "interrupted by SIGINT"));
  ASSERT_TRUE(report);
  EXPECT_EQ((*report)["summary"]["interrupted"], "interrupted by SIGINT");
}

TEST(JsonlReport, Golden) { expect_golden("report.jsonl", written("report.jsonl")); }

TEST(JsonlReport, EveryLineIsAnObjectThatSaysItsType) {
  std::string text = written("report.jsonl");
  expect_no_control_characters(text);
  std::vector<std::string> types;
  for (const std::string& line : split(trim(text), '\n'))
    types.push_back((*parse_json(line))["type"]);
  EXPECT_EQ(join(types, " "), "start result result result result result result summary");
}

TEST(JsonlReport, HoldsEachResultAsSoonAsItIsFinished) {
  CannedRun run;
  ReportHub hub(run.clock, run.redactor, run.dir.path());
  hub.add(make_jsonl_reporter(run.dir / "r.jsonl", run.redactor));
  hub.start(testing::canned_info());
  hub.case_finished(testing::canned_passed());
  std::string text = read_file(run.dir / "r.jsonl");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(text.back(), '\n');
}

TEST(HtmlReport, Golden) { expect_golden("report.html", written("report.html", "interrupted by SIGTERM")); }

TEST(HtmlReport, HostileTextIsOnlyText) {
  std::string text = written("report.htm");
  expect_no_control_characters(text);
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_EQ(text.find("<b>"), std::string::npos);
  EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
  EXPECT_NE(text.find("http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;"), std::string::npos);
}

TEST(RunJson, Golden) {
  CannedRun run;
  TextOutput out;
  EXPECT_TRUE(run.report(make_run_json_reporter(out, run.redactor)).empty());
  expect_golden("run.json", out.text);
}

TEST(RunJson, IsOneDocumentWithoutSecrets) {
  CannedRun run;
  TextOutput out;
  EXPECT_TRUE(run.report(make_run_json_reporter(out, run.redactor)).empty());
  expect_no_control_characters(out.text);
  auto json = parse_json(out.text);
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["passed"], 1);
  EXPECT_EQ((*json)["failed"], 4);
  EXPECT_EQ((*json)["total"], 6);
  EXPECT_EQ((*json)["tests"][0]["duration"], 350);
  EXPECT_EQ(out.text.back(), '\n');
}

TEST(RunJson, SaysThatNobodyReads) {
  CannedRun run;
  TextOutput out;
  out.close();
  EXPECT_EQ(run.report(make_run_json_reporter(out, run.redactor)).size(), 1u);
}

TEST(FileReports, SayWhyTheyCouldNotBeWritten) {
  for (std::string extension : {".json", ".jsonl", ".html"}) {
    CannedRun run;
    std::filesystem::create_symlink("/dev/full", run.dir / ("full" + extension));
    for (auto [name, reason] : {std::pair{"full", "No space left on device"}, std::pair{"no/r", "No such file or directory"}}) {
      std::string path = run.dir / (name + extension);
      Errors errors = run.report(*make_file_reporter(path, run.redactor));
      ASSERT_EQ(errors.size(), 1u) << path;
      EXPECT_EQ(errors[0].message, "cannot write " + path + ": " + reason);
    }
  }
}

TEST(FileReports, AnUnknownExtensionListsTheKnownOnes) {
  Redactor redactor;
  EXPECT_TRUE(make_file_reporter("a/b.JSON", redactor));
  for (std::string path : {"report.pdf", "report", ".json"}) {
    auto made = make_file_reporter(path, redactor);
    ASSERT_FALSE(made) << path;
    EXPECT_EQ(made.error().kind, ErrorKind::kUsage);
    EXPECT_NE(made.error().hint.find(".jsonl, .json, .html, .htm"), std::string::npos);
  }
}

}  // namespace
}  // namespace assay
