#include <gtest/gtest.h>

#include "support/checks.h"

namespace assay {
namespace {

using test::failure;
using test::test_failure;
using test::turn_of;

Turn with_state(const std::string& state) {
  Turn turn = turn_of({});
  turn.state = test::json(state);
  return turn;
}
std::string state(const std::string& expected, const std::string& actual) {
  return failure(R"({"state":)" + expected + "}", with_state(actual));
}

TEST(State, TextIsAPattern) {
  EXPECT_EQ(state(R"({"status":"don"})", R"({"status":"done"})"), "");
  EXPECT_EQ(state(R"({"status":"^don$"})", R"({"status":"done"})"),
            R"(state "status" must be a match for "^don$": it is "done")");
  EXPECT_EQ(state(R"({"n":"^1$"})", R"({"n":1.0})"), "");
  EXPECT_EQ(state(R"({"x":""})", "{}"), R"(state "x" must be a match for "": it is missing)");
}

TEST(State, OtherValuesAreMatchers) {
  EXPECT_EQ(state(R"({"n":3})", R"({"n":3.0})"), "");
  EXPECT_EQ(state(R"({"n":3})", R"({"n":"3"})"), R"(state "n" must be 3: expected 3, found "3")");
  EXPECT_EQ(state(R"({"n":{"gt":1,"lt":5}})", R"({"n":3})"), "");
  EXPECT_EQ(state(R"({"n":{"gt":10}})", R"({"n":3})"), R"(state "n" must be > 10: expected > 10, found 3)");
  EXPECT_EQ(state(R"({"gone":{"exists":false}})", "{}"), "");
  EXPECT_EQ(state(R"({"user":{"name":"x"}})", R"({"user":{"name":"x","id":1}})"), "");
}

TEST(State, PathsAreDottedOrPointers) {
  EXPECT_EQ(state(R"({"a.b.0":1,"/a/b/1":2})", R"({"a":{"b":[1,2]}})"), "");
  EXPECT_NE(state(R"({"/a/b/2":2})", R"({"a":{"b":[1,2]}})"), "");
  EXPECT_EQ(state(R"({"a.b":1})", R"({"a.b":1,"a":{"b":2}})"), "");
}

TEST(State, TheTopIsFieldNamesAndEqualsEscapes) {
  EXPECT_EQ(state(R"({"type":"cart"})", R"({"type":"cart"})"), "");
  EXPECT_EQ(state(R"({"equals":{"a":1}})", R"({"a":1})"), "");
  EXPECT_NE(state(R"({"equals":{"a":1}})", R"({"a":1,"b":2})"), "");
}

TEST(State, NoStateFailsAndSaysSo) {
  EXPECT_EQ(failure(R"({"state":{"x":"y"}})", turn_of({})), R"(state "x" must be a match for "y": the agent sent no state)");
  EXPECT_EQ(failure(R"({"state":{"x":{"exists":false}}})", turn_of({})),
            R"(state "x" must be no value: the agent sent no state)");
}

TEST(State, OfATestIsThatAfterItsLastTurn) {
  EXPECT_EQ(test_failure(R"({"state":{"n":2}})", {with_state(R"({"n":1})"), with_state(R"({"n":2})")}), "");
  EXPECT_NE(test_failure(R"({"state":{"n":1}})", {with_state(R"({"n":1})"), turn_of({})}), "");
  EXPECT_NE(test_failure(R"({"state":{"n":1}})", {}), "");
}

TEST(State, MistakesAndDeferredValues) {
  EXPECT_NE(test::Block(R"({"state":"x"})").mistake(), "");
  EXPECT_NE(test::Block(R"({"state":{"x":"("}})").mistake(), "");
  EXPECT_EQ(test::Block(R"({"state":{"x":"${X}"}})").mistake(), "");
}

TEST(State, TheMatchLimitFails) {
  Json value = {{"x", std::string(60, 'a') + "b"}};
  EXPECT_NE(state(R"({"x":"(?=a)(a+)+\\1$"})", to_compact(value)).find("match limit"), std::string::npos);
}

}  // namespace
}  // namespace assay
