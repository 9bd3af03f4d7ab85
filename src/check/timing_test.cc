#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "support/checks.h"

namespace assay {
namespace {

using test::at_ms;
using test::call;
using test::failure;
using test::test_failure;
using test::turn_of;

std::string timing(const std::string& key, const std::string& value) { return R"({"timing":{")" + key + "\":" + value + "}}"; }

TEST(Timing, DurationFromRequestToEnd) {
  Turn turn = turn_of({});
  EXPECT_EQ(failure(timing("max_duration_ms", "1000"), turn), "");
  turn.end = at_ms(1000) + Duration(1);
  EXPECT_EQ(failure(timing("max_duration_ms", "1000"), turn), "duration must be at most 1000 ms: it was 1000.001 ms");
  auto results = test::results_of(timing("max_duration_ms", "10"), turn);
  EXPECT_EQ(results[0].type, "timing.max_duration_ms");
  EXPECT_EQ(results[0].expected, "at most 10 ms");
  EXPECT_EQ(results[0].actual, "1000.001 ms");
}

TEST(Timing, ATestRunsFromItsFirstTurnToItsLast) {
  Turn second = turn_of({});
  second.start = at_ms(2000);
  second.end = at_ms(2500);
  EXPECT_EQ(test_failure(timing("max_duration_ms", "2500"), {turn_of({}), second}), "");
  EXPECT_EQ(test_failure(timing("max_duration_ms", "2499"), {turn_of({}), second}),
            "duration must be at most 2499 ms: it was 2500 ms");
}

TEST(Timing, IdleCountsStartAndEnd) {
  EXPECT_EQ(failure(timing("max_idle_ms", "999"), turn_of({})),
            "longest time without tool activity must be at most 999 ms: it was 1000 ms");
  // Timestamps: results at 302 and 602 ms.
  Turn turn = turn_of({call("b", "{}", "1", 600), call("a", "{}", "1", 300)});
  EXPECT_EQ(failure(timing("max_idle_ms", "398"), turn), "");
  EXPECT_NE(failure(timing("max_idle_ms", "397"), turn), "");
  Turn late = turn_of({call("a", "{}", "1", 898)});
  EXPECT_NE(failure(timing("max_idle_ms", "899"), late), "");
  EXPECT_EQ(failure(timing("max_idle_ms", "900"), late), "");
}

TEST(Timing, GapIsBetweenCallsOnly) {
  EXPECT_EQ(failure(timing("max_gap_ms", "1"), turn_of({})), "");
  EXPECT_EQ(failure(timing("max_gap_ms", "1"), turn_of({call("a", "{}", "1", 500)})), "");
  Turn turn = turn_of({call("b", "{}", "1", 600), call("a", "{}", "1", 300)});
  EXPECT_EQ(failure(timing("max_gap_ms", "300"), turn), "");
  EXPECT_EQ(failure(timing("max_gap_ms", "299"), turn), "longest gap between tool calls must be at most 299 ms: it was 300 ms");
}

TEST(Timing, ACallCountsAtItsResultElseAtItsEnd) {
  Turn turn = turn_of({call("a", "{}", "", 100), call("b", "{}", "1", 200)});  // 101 and 202
  EXPECT_EQ(failure(timing("max_gap_ms", "101"), turn), "");
  EXPECT_NE(failure(timing("max_gap_ms", "100"), turn), "");
}

TEST(Timing, FirstText) {
  Turn turn = turn_of({}, "hello");
  turn.first_text = at_ms(250);
  EXPECT_EQ(failure(timing("max_first_text_ms", "250"), turn), "");
  EXPECT_EQ(failure(timing("max_first_text_ms", "249.5"), turn),
            "time to the first text must be at most 249.5 ms: it was 250 ms");
  EXPECT_EQ(failure(timing("max_first_text_ms", "5000"), turn_of({})),
            "time to the first text must be at most 5000 ms: there was no text");
}

TEST(Timing, NothingRanNothingPasses) {
  EXPECT_NE(test_failure(timing("max_duration_ms", "5"), {}), "");
  EXPECT_NE(test_failure(timing("max_idle_ms", "5"), {}), "");
  EXPECT_NE(test_failure(timing("max_first_text_ms", "5"), {}), "");
}

TEST(Timing, MistakesAtLoad) {
  for (const char* value : {"0", "-5", "\"5s\"", "true", "null", "[1]"})
    EXPECT_NE(test::Block(timing("max_duration_ms", value)).mistake(), "") << value;
  EXPECT_EQ(test::Block(timing("max_duration_ms", "\"${X}\"")).mistake(), "");
  EXPECT_EQ(test::Block(timing("max_duration", "5")).errors[0].hint, "did you mean max_duration_ms?");
}

RC_GTEST_PROP(Timing, IdleIsNeverBelowTheGap, (const std::vector<uint8_t>& starts)) {
  std::vector<ToolCall> calls;
  for (auto start : starts)
    calls.push_back(call("x", "{}", "", start));
  Turn turn = turn_of(calls);
  int limit = *rc::gen::inRange(1, 1200);
  bool idle_holds = failure(timing("max_idle_ms", std::to_string(limit)), turn).empty();
  bool gap_holds = failure(timing("max_gap_ms", std::to_string(limit)), turn).empty();
  RC_ASSERT(!idle_holds || gap_holds);
}

}  // namespace
}  // namespace assay
