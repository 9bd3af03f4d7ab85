#include <gtest/gtest.h>

#include "report/reporters.h"
#include "report/run_facts.h"
#include "support/canned_results.h"

namespace assay {
namespace {

TEST(ResultJson, IsTheContractsExample) {
  Json expected = *parse_json(R"({
      "index": 1, "id": "tests/checkout", "name": "checkout flow", "file": "tests/checkout.test.yaml", "line": 1, "tags": [],
      "status": "failed", "duration_ms": 212, "input": "I want to checkout", "output": "Done.", "expected": null,
      "error": "[turn 1] tool \"get_shipping_options\" must be called after \"validate_cart\": it was called before",
      "messages_count": 4,
      "checks": [
        {"type": "tools.require", "passed": false, "turn": 1, "expected": "\"get_shipping_options\" after \"validate_cart\"", "actual": "called before", "message": "tool \"get_shipping_options\" must be called after \"validate_cart\": it was called before", "source": {"file": "tests/checkout.test.yaml", "line": 12, "column": 13}}
      ],
      "turns": [
        {
          "turn": 1, "input": "I want to checkout", "output": "Done.", "text": "Done.", "final_text": "Done.", "outcome": "success",
          "tool_calls": [
            {"id": "c1", "name": "get_shipping_options", "arguments": {}, "result": ["std", "express"], "start_ts": 1794772770831, "end_ts": 1794772770832, "result_ts": 1794772770840},
            {"id": "c2", "name": "validate_cart", "arguments": {}, "result": {"ok": true}, "start_ts": 1794772770841, "end_ts": 1794772770842, "result_ts": 1794772770850}
          ],
          "state": null, "usage": null,
          "violations": [{"rule": "unknown-field", "severity": "warning", "event": 9, "message": "RUN_FINISHED has the unknown field finishReason"}],
          "start_ts": 1794772770800, "end_ts": 1794772771012, "duration_ms": 212
        }
      ],
      "usage": null, "attempts": []
    })");
  Json actual = result_json(testing::canned_failed(), Redactor());
  EXPECT_EQ(actual["assertions"], expected["checks"]);
  EXPECT_EQ(actual["tool_calls"], expected["turns"][0]["tool_calls"]);
  actual.erase("assertions");
  actual.erase("tool_calls");
  EXPECT_EQ(to_compact(actual), to_compact(expected));
}

TEST(ResultJson, LeavesOutWhatIsNotThere) {
  Json skipped = result_json(testing::canned_skipped(), Redactor());
  EXPECT_EQ(skipped["input"], Json());
  EXPECT_EQ(skipped["output"], "");
  EXPECT_EQ(skipped["usage"], Json());
  EXPECT_FALSE(skipped.contains("hooks"));
  Json timeout = result_json(testing::canned_timeout(), Redactor())["turns"][0];
  EXPECT_EQ(timeout["end_ts"], Json());
  EXPECT_EQ(timeout["duration_ms"], 0);
  EXPECT_EQ(timeout["text"], "");
  EXPECT_EQ(timeout["tool_calls"][0]["result"], Json());
  EXPECT_FALSE(timeout["tool_calls"][0].contains("error"));
  EXPECT_FALSE(result_json(testing::canned_passed(), Redactor()).contains("error"));
}

TEST(ResultJson, AddsUpTheUsageOfItsTurns) {
  Json passed = result_json(testing::canned_passed(), Redactor());
  EXPECT_EQ(to_compact(passed["usage"]), R"({"input_tokens":30,"output_tokens":5,"total_tokens":15})");
  EXPECT_EQ(to_compact(passed["turns"][1]["usage"]), R"({"input_tokens":20})");
  EXPECT_EQ(passed["duration_ms"], 350);
}

TEST(ResultJson, HoldsNoSecret) {
  Redactor redactor;
  testing::add_canned_secret(redactor);
  std::string text = to_compact(result_json(testing::canned_hostile(), redactor));
  EXPECT_EQ(text.find(testing::kCannedSecret), std::string::npos);
  EXPECT_NE(text.find("***"), std::string::npos);
}

TEST(RunFacts, TimesAreIso) {
  EXPECT_EQ(iso_time(Time(std::chrono::milliseconds(1794772770431))), "2026-11-15T19:59:30.431Z");
  EXPECT_EQ(iso_time(kNoTime), "");
}

TEST(RunFacts, PassRateIsOfWhatRan) {
  RunSummary summary;
  EXPECT_EQ(pass_rate(summary), 0);
  summary.passed = 2, summary.timeouts = 1, summary.skipped = 7;
  EXPECT_EQ(pass_rate(summary), 66.67);
}

}  // namespace
}  // namespace assay
