#include <gtest/gtest.h>

#include "support/checks.h"

namespace assay {
namespace {

using test::failure;
using test::test_failure;
using test::turn_of;

TEST(Text, MustMatchAndMustNotMatch) {
  EXPECT_EQ(failure(R"({"text":{"must_match":"4"}})", turn_of({}, "It is 4.")), "");
  EXPECT_EQ(failure(R"({"text":{"must_match":"4"}})", turn_of({}, "I am not sure")),
            R"(text must match "4": found "I am not sure")");
  EXPECT_EQ(failure(R"({"text":{"must_match":["a","b"]}})", turn_of({}, "a")), R"(text must match "b": found "a")");
  EXPECT_EQ(failure(R"({"text":{"must_not_match":["error","failed"]}})", turn_of({}, "it failed")),
            R"(text must not match "failed": found "it failed")");
  EXPECT_EQ(failure(R"({"text":{"must_match":"x"}})", turn_of({})), R"(text must match "x": found no text)");
  EXPECT_EQ(failure(R"({"text":{"must_not_match":"x"}})", turn_of({})), "");
}

TEST(Text, EveryPatternIsACheckAtItsPlace) {
  auto results = test::results_of("{\"text\":{\"must_match\":[\"a\",\n\"b\"]}}", turn_of({}, "none"));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].type, "text.must_match");
  EXPECT_EQ(results[1].source.line, 2);
  EXPECT_EQ(results[1].expected, "a match for \"b\"");
  EXPECT_EQ(results[1].actual, "\"none\"");
}

TEST(Text, FinalTextIsTheLastMessageWithText) {
  Turn turn = turn_of({}, "thinking");
  turn.messages.push_back({"m2", "done"});
  turn.messages.push_back({"m3", ""});
  EXPECT_EQ(failure(R"({"text":{"must_match":"thinking\ndone"}})", turn), "");
  EXPECT_EQ(failure(R"({"text":{"final":{"must_match":"^done$","must_not_match":"thinking"}}})", turn), "");
  EXPECT_EQ(failure(R"({"text":{"final":{"must_match":"thinking"}}})", turn),
            R"(final text must match "thinking": found "done")");
  EXPECT_EQ(test::results_of(R"({"text":{"final":{"must_not_match":"x"}}})", turn)[0].type, "text.final.must_not_match");
}

TEST(Text, OfATestIsItsTurnsJoinedByNewlines) {
  std::vector<Turn> turns = {turn_of({}, "one"), turn_of({}), turn_of({}, "three")};
  EXPECT_EQ(test_failure(R"({"text":{"must_match":"^one\nthree$"}})", turns), "");
  EXPECT_EQ(test_failure(R"({"text":{"final":{"must_match":"^three$"}}})", turns), "");
}

TEST(Text, LongAndHostileTextIsShortenedAndVisible) {
  std::string why = failure(R"({"text":{"must_match":"x"}})", turn_of({}, "\x1b[31m\n" + std::string(5000, 'a')));
  EXPECT_LT(why.size(), 300u);
  EXPECT_EQ(why.find('\x1b'), std::string::npos);
  EXPECT_EQ(why.find('\n'), std::string::npos);
}

TEST(Text, TheMatchLimitFailsBothWays) {
  Turn turn = turn_of({}, std::string(60, 'a') + "b");
  EXPECT_NE(failure(R"({"text":{"must_match":"(?=a)(a+)+\\1$"}})", turn).find("ran into the match limit"), std::string::npos);
  EXPECT_NE(failure(R"({"text":{"must_not_match":"(?=a)(a+)+\\1$"}})", turn).find("ran into the match limit"), std::string::npos);
}

TEST(Text, ABadPatternPointsIntoItsText) {
  test::Block block("{\"text\":{\n \"must_match\": \"ab[c\"}}");
  ASSERT_EQ(block.errors.size(), 1u);
  EXPECT_NE(block.mistake().find("`must_match`: bad pattern \"ab[c\""), std::string::npos) << block.mistake();
  EXPECT_EQ(block.errors[0].place.line, 2);
  EXPECT_EQ(block.errors[0].place.column, 19);
  EXPECT_EQ(block.errors[0].place.length, 2);
}

TEST(Text, ABadPatternWithEscapesPointsAtItsScalar) {
  test::Block block(R"({"text":{"must_match":"\\d[c"}})");
  ASSERT_EQ(block.errors.size(), 1u);
  EXPECT_EQ(block.errors[0].place.column, 23);
}

TEST(Text, DeferredAndEmptyPatterns) {
  EXPECT_EQ(test::Block(R"({"text":{"must_match":"${X}","must_not_match":["${Y}"]}})").mistake(), "");
  EXPECT_EQ(failure(R"({"text":{"must_match":""}})", turn_of({})), "");
}

}  // namespace
}  // namespace assay
