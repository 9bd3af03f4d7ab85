#include <gtest/gtest.h>

#include "support/checks.h"

namespace assay {
namespace {

using test::failure;
using test::test_failure;
using test::turn_of;

Turn with_violations(std::vector<Violation> violations) {
  Turn turn = turn_of({});
  turn.violations = std::move(violations);
  return turn;
}
const Violation kBad = {"first-event", Severity::kError, 3, kNoTime, "RUN_STARTED is missing"};
const Violation kOdd = {"unknown-field", Severity::kWarning, 9, kNoTime, "RUN_FINISHED has the unknown field x"};

TEST(Protocol, StrictFailsOnErrorsOnly) {
  EXPECT_EQ(failure(R"({"protocol":"strict"})", with_violations({kOdd})), "");
  EXPECT_EQ(failure(R"({"protocol":"strict"})", with_violations({kOdd, kBad})),
            "the protocol must not be violated: 1 violation: first-event at event 3 (RUN_STARTED is missing)");
  // A test's own mode is judged turn by turn, where a turn may ease it; not once more over all of them.
  EXPECT_EQ(test_failure(R"({"protocol":"strict"})", {turn_of({}), with_violations({kBad})}), "");
}

TEST(Protocol, ManyViolationsAreCounted) {
  std::string why = failure(R"({"protocol":"strict"})", with_violations(std::vector<Violation>(5, kBad)));
  EXPECT_NE(why.find("5 violations"), std::string::npos);
  EXPECT_NE(why.find("and 2 more"), std::string::npos);
}

TEST(Protocol, WarnAndOffNeverFail) {
  for (const char* mode : {"\"warn\"", "\"off\"", "false", R"({"mode":"warn"})", R"({"mode":false})"})
    EXPECT_EQ(failure(std::string(R"({"protocol":)") + mode + "}", with_violations({kBad})), "") << mode;
}

TEST(Protocol, RulesOverrideSeverities) {
  auto with_rules = [](const std::string& rules, const Violation& violation) {
    return failure(R"({"protocol":{"mode":"strict","rules":)" + rules + "}}", with_violations({violation}));
  };
  EXPECT_EQ(with_rules(R"({"first-event":"off"})", kBad), "");
  EXPECT_EQ(with_rules(R"({"first-event":"warn"})", kBad), "");
  EXPECT_NE(with_rules(R"({"unknown-field":"error"})", kOdd), "");
  EXPECT_NE(with_rules(R"({"unknown-field":"off"})", kBad), "");
  EXPECT_EQ(with_rules(R"({"first-event":false})", kBad), "");
}

TEST(Protocol, ARuleCanFailWhereTheRestOnlyWarns) {
  auto why = [](const Violation& violation) {
    return failure(R"({"protocol":{"mode":"warn","rules":{"unknown-field":"error"}}})", with_violations({violation}));
  };
  EXPECT_EQ(why(kBad), "");
  EXPECT_NE(why(kOdd), "");
}

TEST(Protocol, AModeBelowOverridesAnInheritedOne) {
  test::Block strict(R"({"protocol":"strict"})");
  Transcript transcript = test::transcript_of({with_violations({kBad})});
  for (const char* mode : {"\"warn\"", "\"off\"", "false"}) {
    test::Block lower(std::string(R"({"protocol":)") + mode + "}");
    EXPECT_EQ(test::failures(test::evaluate(turn_checks(strict.block, {}, lower.block), turn_scope(transcript, 0))), "");
    EXPECT_NE(test::failures(test::evaluate(turn_checks(lower.block, {}, strict.block), turn_scope(transcript, 0))), "");
  }
}

TEST(Protocol, MayBeWrittenOutsideABlock) {
  Document document = test::node_from_json("\"strict\"");
  AssertBlock block;
  Reader reader;
  read_protocol(reader, document.root, block);
  ASSERT_EQ(block.entries.size(), 1u);
  EXPECT_EQ(block.entries[0].key, "protocol");
  EXPECT_TRUE(block.entries[0].check);
}

TEST(Protocol, MistakesAtLoad) {
  EXPECT_NE(test::Block(R"({"protocol":"strickt"})").mistake(), "");
  EXPECT_EQ(test::Block(R"({"protocol":{"rules":{}}})").mistake(), "`protocol` needs `mode`");
  EXPECT_NE(test::Block(R"({"protocol":{"mode":"strict","rules":{"schema":"loud"}}})").mistake(), "");
  EXPECT_NE(test::Block(R"({"protocol":{"mode":"strict","rule":{}}})").mistake(), "");
  test::Block misspelt(R"({"protocol":{"mode":"strict","rules":{"crlf-frame":"off"}}})");
  EXPECT_EQ(misspelt.mistake(), "there is no rule \"crlf-frame\"");
  EXPECT_EQ(misspelt.errors[0].hint, "did you mean crlf-framing?");
  EXPECT_EQ(test::Block(R"({"protocol":"${X}"})").mistake(), "");
}

}  // namespace
}  // namespace assay
