#include <gtest/gtest.h>

#include "support/checks.h"

namespace assay {
namespace {

using test::failure;
using test::test_failure;
using test::turn_of;

Turn with_usage(Usage usage) {
  Turn turn = turn_of({});
  turn.usage = usage;
  return turn;
}

TEST(Usage, Limits) {
  Turn turn = with_usage({10, 5, 15});
  EXPECT_EQ(failure(R"({"usage":{"max_tokens":15,"max_input_tokens":10,"max_output_tokens":5}})", turn), "");
  EXPECT_EQ(failure(R"({"usage":{"max_tokens":14}})", turn), "usage must be at most 14 tokens: it was 15");
  EXPECT_EQ(failure(R"({"usage":{"max_input_tokens":9}})", turn), "usage must be at most 9 input tokens: it was 10");
  EXPECT_EQ(failure(R"({"usage":{"max_output_tokens":4}})", turn), "usage must be at most 4 output tokens: it was 5");
  EXPECT_EQ(failure(R"({"usage":{"max_tokens":14}})", with_usage({10, 5, {}})), "usage must be at most 14 tokens: it was 15");
}

TEST(Usage, NotReportedFailsAndSaysSo) {
  EXPECT_EQ(failure(R"({"usage":{"max_tokens":14}})", turn_of({})),
            "usage must be at most 14 tokens: the agent did not report it");
  EXPECT_NE(failure(R"({"usage":{"max_output_tokens":14}})", with_usage({10, {}, {}})), "");
}

TEST(Usage, OfATestIsTheSum) {
  EXPECT_EQ(test_failure(R"({"usage":{"max_tokens":30}})", {with_usage({10, 5, 15}), with_usage({10, 5, 15})}), "");
  EXPECT_NE(test_failure(R"({"usage":{"max_tokens":29}})", {with_usage({10, 5, 15}), with_usage({10, 5, 15})}), "");
  EXPECT_EQ(test_failure(R"({"usage":{"max_tokens":30}})", {with_usage({10, 5, 15}), turn_of({})}),
            "usage must be at most 30 tokens: the agent did not report it in turn 2");
}

TEST(Usage, MistakesAtLoad) {
  EXPECT_NE(test::Block(R"({"usage":{"max_tokens":"many"}})").mistake(), "");
  EXPECT_NE(test::Block(R"({"usage":{"max_token":1}})").mistake(), "");
}

}  // namespace
}  // namespace assay
