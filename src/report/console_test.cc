#include <gtest/gtest.h>

#include "base/text.h"
#include "support/golden.h"
#include "support/report_fixture.h"

namespace assay {
namespace {

using testing::CannedRun;
using testing::expect_golden;
using testing::TextOutput;

std::string console(ConsoleOptions options, std::string interrupted = {}) {
  CannedRun run;
  TextOutput out;
  EXPECT_TRUE(run.report(make_console_reporter(out, run.clock, run.redactor, options), std::move(interrupted)).empty());
  return out.text;
}

TEST(Console, Golden) { expect_golden("console.txt", console({})); }

TEST(Console, GoldenQuiet) {
  expect_golden("console_quiet.txt", console({.verbosity = Verbosity::kQuiet}, "interrupted by SIGINT"));
}

TEST(Console, GoldenDebug) { expect_golden("console_debug.txt", console({.verbosity = Verbosity::kDebug})); }

TEST(Console, GoldenColor) { expect_golden("console_color.txt", console({.color = true})); }

TEST(Console, ShowsControlCharactersAndObeysNone) {
  for (Verbosity verbosity : {Verbosity::kQuiet, Verbosity::kNormal, Verbosity::kVerbose, Verbosity::kDebug}) {
    std::string text = console({.verbosity = verbosity});
    for (unsigned char c : text)
      EXPECT_TRUE(c >= 0x20 || c == '\n') << static_cast<int>(c);
    EXPECT_TRUE(is_valid_utf8(text));
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
    EXPECT_EQ(text.find(testing::kCannedSecret), std::string::npos);
    EXPECT_NE(text.find("\\x1b[2J"), std::string::npos);
  }
}

TEST(Console, CutsNoSecretInHalf) {
  CaseResult result = testing::canned_failed();
  result.transcript.turns[0].messages[0].text = std::string(190, 'x') + std::string(testing::kCannedSecret);
  CannedRun run;
  TextOutput out;
  auto reporter = make_console_reporter(out, run.clock, run.redactor, {});
  reporter->case_finished(result);
  EXPECT_EQ(out.text.find("sk-can"), std::string::npos);
  EXPECT_NE(out.text.find("xxx***\n"), std::string::npos);
}

TEST(Console, RewritesOneProgressLineAndErasesItBeforeOtherText) {
  CannedRun run;
  TextOutput out(40);
  auto reporter = make_console_reporter(out, run.clock, run.redactor, {.progress = true});
  reporter->start(testing::canned_info());
  reporter->case_started(0);
  reporter->case_finished(testing::canned_passed());
  reporter->case_started(2);
  reporter->tick(testing::canned_time(4000));
  std::string erase = "\r\x1b[2K";
  EXPECT_EQ(out.text, erase + "[0/6] 0 passed, 0 failed, 0 in flight, " + erase + "[1/6] 1 passed, 0 failed, 1 in flight, ");
  out.text.clear();
  reporter->case_finished(testing::canned_error());
  EXPECT_EQ(out.text.find(erase + "ERROR agent breaks (1.5s)\n"), 0u);
  Journal journal(run.dir.path());
  out.text.clear();
  EXPECT_TRUE(reporter->finish({.total = 6, .passed = 1, .errors = 1, .interrupted = {}}, journal));
  EXPECT_EQ(out.text, erase + "\n6 cases: 1 passed, 1 error\n");
}

TEST(Console, WarnsWhenNothingRan) {
  CannedRun run;
  TextOutput out;
  Journal journal(run.dir.path());
  auto reporter = make_console_reporter(out, run.clock, run.redactor, {});
  EXPECT_TRUE(reporter->finish({}, journal));
  EXPECT_TRUE(reporter->finish({.total = 1, .skipped = 1, .interrupted = {}}, journal));
  EXPECT_EQ(out.text,
            "\n0 cases\nwarning: there was no case to run\n"
            "\n1 case: 1 skipped\nwarning: no case was run: all were skipped\n");
}

}  // namespace
}  // namespace assay
