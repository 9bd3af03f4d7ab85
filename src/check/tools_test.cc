#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "support/checks.h"

namespace assay {
namespace {

using test::call;
using test::failure;
using test::test_failure;
using test::turn_of;

std::string require(const std::string& item, std::vector<ToolCall> calls) {
  return failure(R"({"tools":{"require":[)" + item + "]}}", turn_of(std::move(calls)));
}
std::string mistake(const std::string& tools) { return test::Block(R"({"tools":)" + tools + "}").mistake(); }

TEST(Forbid, NoCallToTheTool) {
  std::string block = R"({"tools":{"forbid":["delete_order","wipe"]}})";
  EXPECT_EQ(failure(block, turn_of({call("search")})), "");
  EXPECT_EQ(failure(block, turn_of({call("delete_order", R"({"id":7})")})),
            R"(tool "delete_order" is forbidden: it was called once (arguments {"id":7}))");
  EXPECT_EQ(failure(block, turn_of({call("wipe", R"({"a":1})"), call("wipe")})),
            R"(tool "wipe" is forbidden: it was called 2 times (first with arguments {"a":1}))");
  EXPECT_EQ(failure(block, turn_of({call("delete_order2")})), "");
  EXPECT_EQ(failure(R"({"tools":{"forbid":["delete"]}})", turn_of({call("ns__delete"), call("Delete")})), "");
}

TEST(Forbid, OneCheckPerNameAtItsPlace) {
  auto results = test::results_of("{\"tools\":{\"forbid\":[\"a\",\n  \"b\"]}}", turn_of({call("b")}));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].passed);
  EXPECT_EQ(results[0].message, R"(tool "a" is forbidden: it was never called)");
  EXPECT_FALSE(results[1].passed);
  EXPECT_EQ(results[1].type, "tools.forbid");
  EXPECT_EQ(results[1].source.line, 2);
  EXPECT_EQ(results[1].source.column, 3);
  EXPECT_EQ(results[1].source.file, "test.json");
  EXPECT_EQ(results[1].turn, 1);
  EXPECT_EQ(results[1].actual, "called once");
}

TEST(Require, AtLeastOneCallByDefault) {
  EXPECT_EQ(require(R"({"name":"search"})", {call("search")}), "");
  EXPECT_EQ(require(R"({"name":"search"})", {call("search"), call("search")}), "");
  EXPECT_EQ(require(R"({"name":"search"})", {call("other")}), R"(tool "search" must be called: it was never called)");
}

TEST(Require, Counts) {
  std::vector<ToolCall> two = {call("x"), call("x")};
  EXPECT_EQ(require(R"({"name":"x","count":{"exact":2}})", two), "");
  EXPECT_EQ(require(R"({"name":"x","count":{"exact":1}})", two),
            R"(tool "x" must be called exactly 1 time: it was called 2 times)");
  EXPECT_EQ(require(R"({"name":"x","count":{"min":1,"max":3}})", two), "");
  EXPECT_EQ(require(R"({"name":"x","count":{"min":3,"max":5}})", two),
            R"(tool "x" must be called 3 to 5 times: it was called 2 times)");
  EXPECT_EQ(require(R"({"name":"x","count":{"min":3}})", two),
            R"(tool "x" must be called at least 3 times: it was called 2 times)");
  EXPECT_EQ(require(R"({"name":"x","count":{"max":1}})", two),
            R"(tool "x" must be called at most 1 time: it was called 2 times)");
  EXPECT_EQ(require(R"({"name":"x","count":{"max":1}})", {}), "");
  EXPECT_EQ(require(R"({"name":"x","count":{"exact":0}})", {}), "");
  EXPECT_EQ(require(R"({"name":"x","count":{"max":0}})", {}), "");
  EXPECT_EQ(require(R"({"name":"x","count":{"max":0}})", two),
            R"(tool "x" must be called exactly 0 times: it was called 2 times)");
}

TEST(Require, FiltersSelectAndTheCountAppliesToTheSelected) {
  std::vector<ToolCall> calls = {call("s", R"({"query":"weather in Paris"})"), call("s", R"({"query":"news"})"),
                                 call("s", R"({"q":"weather"})")};
  EXPECT_EQ(require(R"({"name":"s","args_match":{"query":"weather"}})", calls), "");
  EXPECT_EQ(require(R"({"name":"s","args_match":{"query":"weather"},"count":{"exact":1}})", calls), "");
  EXPECT_EQ(require(R"({"name":"s","args_match":{"query":"sports"}})", {calls[1], calls[2]}),
            R"(tool "s" must be called with argument "query" matching "sports": it was called 2 times, none of them so )"
            R"((call 1: argument "query" is "news", call 2: argument "query" is missing))");
  EXPECT_EQ(require(R"({"name":"s","args_match":{"query":"."},"count":{"exact":3}})", calls),
            R"(tool "s" must be called exactly 3 times with argument "query" matching ".": it was called 3 times, 2 of them so )"
            R"((call 3: argument "query" is missing))");
}

TEST(Require, TheNearestCallsAreShown) {
  std::string why = require(R"({"name":"s","args_match":{"a":"1","b":"1"}})",
                            {call("s", R"({"a":2,"b":2})"), call("s", R"({"a":1,"b":2})"), call("s", R"({"a":3,"b":3})")});
  EXPECT_NE(why.find(R"((call 2: argument "b" is 2))"), std::string::npos) << why;
}

TEST(Require, ArgumentPathsAndTextForms) {
  auto one = [](const std::string& match, const std::string& arguments) {
    return require(R"({"name":"t","args_match":)" + match + "}", {call("t", arguments)}).empty();
  };
  EXPECT_TRUE(one(R"({"user.address.city":"Paris"})", R"({"user":{"address":{"city":"Paris"}}})"));
  EXPECT_TRUE(one(R"({"items.0.id":"^7$"})", R"({"items":[{"id":7.0}]})"));
  EXPECT_TRUE(one(R"({"a.b":"^1$"})", R"({"a.b":1,"a":{"b":2}})"));
  EXPECT_FALSE(one(R"({"a.b":"^2$"})", R"({"a.b":1,"a":{"b":2}})"));
  EXPECT_TRUE(one(R"({"o":"^\\{\"b\":1,\"a\":\\[true,null\\]\\}$"})", R"({"o":{"b":1.0,"a":[true,null]}})"));
  EXPECT_TRUE(one(R"({"enabled":"true"})", R"({"enabled":true})"));
  EXPECT_TRUE(one(R"({"enabled":true})", R"({"enabled":true})"));
  EXPECT_TRUE(one(R"({"n":5})", R"({"n":15})"));
  EXPECT_TRUE(one(R"({"name":"/JOHN/i"})", R"({"name":"john"})"));
  EXPECT_FALSE(one(R"({"x":""})", "{}"));
  EXPECT_TRUE(one(R"({"x":""})", R"({"x":null})"));
  EXPECT_FALSE(one(R"({"x":"a"})", "\"text\""));
}

TEST(Require, ArgsNotMatch) {
  std::string item = R"({"name":"t","args_not_match":{"q":"secret","r":"x"}})";
  EXPECT_EQ(require(item, {call("t", R"({"q":"fine"})")}), "");
  EXPECT_EQ(require(item, {call("t")}), "");
  EXPECT_NE(require(item, {call("t", R"({"q":"a secret"})")}), "");
  EXPECT_NE(require(item, {call("t", R"({"q":"fine","r":"x"})")}), "");
}

TEST(Require, ArgsTakeMatchers) {
  std::string item = R"({"name":"t","args":{"total":{"gt":100},"type":"a"}})";
  EXPECT_EQ(require(item, {call("t", R"({"total":200,"type":"a","more":1})")}), "");
  EXPECT_EQ(require(item, {call("t", R"({"total":20,"type":"a"})")}),
            R"(tool "t" must be called with arguments (total > 100, type "a"): it was called once, none of them so )"
            R"((call 1: arguments total: expected > 100, found 20))");
  EXPECT_EQ(require(R"({"name":"t","args":{"equals":{"a":1}}})", {call("t", R"({"a":1})")}), "");
  EXPECT_NE(require(R"({"name":"t","args":{"equals":{"a":1}}})", {call("t", R"({"a":1,"b":1})")}), "");
  EXPECT_EQ(require(R"({"name":"t","args":{"x":{"exists":false}}})", {call("t")}), "");
}

TEST(Require, ArgsOnly) {
  std::string item = R"({"name":"t","args_only":true,"args":{"a":1},"args_match":{"b.c":"x"}})";
  EXPECT_EQ(require(item, {call("t", R"({"a":1,"b":{"c":"x"}})")}), "");
  EXPECT_NE(require(item, {call("t", R"({"a":1,"b":{"c":"x"},"d":1})")}).find(R"(argument "d" is not expected)"),
            std::string::npos);
  EXPECT_EQ(require(R"({"name":"t","args_only":true})", {call("t")}), "");
  EXPECT_NE(require(R"({"name":"t","args_only":true})", {call("t", R"({"a":1})")}), "");
  EXPECT_EQ(require(R"({"name":"t","args_only":false,"args":{"a":1}})", {call("t", R"({"a":1,"b":2})")}), "");
  EXPECT_EQ(require(R"({"name":"t","args_only":true,"args":{"equals":{"a":1}}})", {call("t", R"({"a":1})")}), "");
}

TEST(Require, Results) {
  EXPECT_EQ(require(R"({"name":"t","result_match":"ok"})", {call("t", "{}", "\"all ok\"")}), "");
  EXPECT_EQ(require(R"({"name":"t","result_match":"\"ok\":true"})", {call("t", "{}", R"({"ok":true})")}), "");
  EXPECT_EQ(
      require(R"({"name":"t","result_match":""})", {call("t")}),
      R"(tool "t" must be called with a result matching "": it was called once, none of them so (call 1: result is missing))");
  EXPECT_EQ(require(R"({"name":"t","result_not_match":"err"})", {call("t")}), "");
  EXPECT_NE(require(R"({"name":"t","result_not_match":"err"})", {call("t", "{}", "\"error\"")}), "");
  EXPECT_EQ(require(R"({"name":"t","result":{"n":{"lte":3}}})", {call("t", "{}", R"({"n":3,"m":1})")}), "");
  EXPECT_NE(require(R"({"name":"t","result":{"n":{"lte":3}}})", {call("t", "{}", R"({"n":4})")}), "");
  EXPECT_EQ(require(R"({"name":"t","result":"ok"})", {call("t", "{}", "\"ok\"")}), "");
  EXPECT_NE(require(R"({"name":"t","result":{"n":{"exists":false}}})", {call("t")}), "");
  EXPECT_EQ(require(R"({"name":"t","result":{"equals":[1,2]}})", {call("t", "{}", "[1,2]")}), "");
}

TEST(Require, After) {
  std::string item = R"({"name":"get_shipping_options","after":"validate_cart"})";
  EXPECT_EQ(require(item, {call("validate_cart"), call("get_shipping_options")}), "");
  EXPECT_EQ(require(item, {call("get_shipping_options"), call("validate_cart")}),
            R"(tool "get_shipping_options" must be called after "validate_cart": it was called before)");
  EXPECT_EQ(require(item, {call("get_shipping_options")}),
            R"(tool "get_shipping_options" must be called after "validate_cart": "validate_cart" was never called)");
  EXPECT_EQ(require(item, {call("validate_cart")}),
            R"(tool "get_shipping_options" must be called after "validate_cart": it was never called)");
  // The first selected call decides, not the first of that name.
  EXPECT_EQ(require(R"({"name":"x","args_match":{"a":"2"},"after":"y"})",
                    {call("x", R"({"a":1})"), call("y"), call("x", R"({"a":2})")}),
            "");
  EXPECT_NE(require(item, {call("get_shipping_options"), call("validate_cart"), call("get_shipping_options")}), "");
  EXPECT_EQ(require(R"({"name":"x","count":{"max":0},"after":"y"})", {}), "");
  EXPECT_NE(require(R"({"name":"x","after":"x"})", {call("x"), call("x")}), "");
}

TEST(Require, TheResultIsThatOfTheExampleReport) {
  auto results = test::results_of(R"({"tools":{"require":[{"name":"get_shipping_options","after":"validate_cart"}]}})",
                                  turn_of({call("get_shipping_options"), call("validate_cart")}));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].type, "tools.require");
  EXPECT_EQ(results[0].expected, "\"get_shipping_options\" after \"validate_cart\"");
  EXPECT_EQ(results[0].actual, "called before");
  EXPECT_EQ(results[0].source.column, 22);
}

TEST(Require, OverAllTurnsOfATest) {
  std::string block = R"({"tools":{"require":[{"name":"b","after":"a","count":{"exact":2}}]}})";
  EXPECT_EQ(test_failure(block, {turn_of({call("a"), call("b")}), turn_of({call("b")})}), "");
  EXPECT_NE(test_failure(block, {turn_of({call("b")}), turn_of({call("a"), call("b")})}), "");
}

TEST(Require, TheMatchLimitFailsWithThatReason) {
  std::string arguments = R"({"q":")" + std::string(60, 'a') + "b\"}";
  std::string bomb = R"("(?=a)(a+)+\\1$")";
  EXPECT_NE(
      require(R"({"name":"t","count":{"max":0},"args_match":{"q":)" + bomb + "}}", {call("t", arguments)}).find("match limit"),
      std::string::npos);
  EXPECT_NE(require(R"({"name":"t","count":{"max":0},"args":{"q":{"not":{"regex":)" + bomb + "}}}}", {call("t", arguments)})
                .find("match limit"),
            std::string::npos);
  EXPECT_NE(
      failure(R"({"tools":{"forbid_calls":[{"name":"t","args_match":{"q":)" + bomb + "}}]}}", turn_of({call("t", arguments)}))
          .find("match limit"),
      std::string::npos);
}

TEST(ForbidCalls, OnlyWhereAllConditionsHold) {
  std::string block = R"({"tools":{"forbid_calls":[{"name":"db","args_match":{"table":"users"},"result_match":"password"}]}})";
  EXPECT_EQ(failure(block, turn_of({call("db", R"({"table":"users"})", "\"names\"")})), "");
  EXPECT_EQ(failure(block, turn_of({call("db", R"({"table":"x"})", "\"password\"")})), "");
  EXPECT_EQ(failure(block, turn_of({call("db", R"({"table":"users"})")})), "");
  EXPECT_EQ(failure(block, turn_of({call("db", R"({"table":"users"})", "\"password\"")})),
            R"(tool "db" must not be called with argument "table" matching "users" and a result matching "password": )"
            R"(it was called once (arguments {"table":"users"}, result "password"))");
  EXPECT_NE(failure(R"({"tools":{"forbid_calls":[{"name":"db"}]}})", turn_of({call("db")})), "");
}

TEST(Order, Modes) {
  auto order = [](const std::string& mode, std::vector<std::string> names) {
    std::vector<ToolCall> calls;
    for (const auto& name : names)
      calls.push_back(call(name));
    std::string setting = mode.empty() ? "" : R"(,"order_mode":")" + mode + "\"";
    return failure(R"({"tools":{"order":["a","b"])" + setting + "}}", turn_of(std::move(calls)));
  };
  EXPECT_EQ(order("", {"x", "a", "x", "b"}), "");
  EXPECT_EQ(order("", {"b", "a"}), R"(tools must be called in this order: "a", "b": called were "b", "a")");
  EXPECT_EQ(order("subsequence", {"b", "a", "b"}), "");
  EXPECT_NE(order("subsequence", {}), "");
  EXPECT_EQ(order("exact", {"a", "b"}), "");
  EXPECT_NE(order("exact", {"a", "b", "c"}), "");
  EXPECT_EQ(order("set", {"b", "a", "b"}), "");
  EXPECT_NE(order("set", {"b", "a", "c"}), "");
  EXPECT_NE(order("set", {"b"}), "");
  EXPECT_EQ(order("superset", {"b", "c", "a"}), "");
  EXPECT_NE(order("superset", {"b", "c"}), "");
}

TEST(Tools, MistakesAtLoad) {
  EXPECT_EQ(mistake(R"({"require":[{"count":{"exact":1}}]})"), "an item of `require` needs `name`");
  EXPECT_EQ(mistake(R"({"require":[{"name":"x","count":{}}]})"), "`count` needs `exact`, `min` or `max`");
  EXPECT_EQ(mistake(R"({"require":[{"name":"x","count":{"min":3,"max":1}}]})"), "`count`: `min` 3 is above `max` 1");
  EXPECT_EQ(mistake(R"({"require":[{"name":"x","count":{"exact":3,"max":1}}]})"),
            "`count` takes `exact`, or `min` and `max`, not both");
  EXPECT_NE(mistake(R"({"require":[{"name":"x","count":{"exact":1.5}}]})"), "");
  EXPECT_NE(mistake(R"({"require":[{"name":"x","count":2}]})"), "");
  EXPECT_NE(mistake(R"({"require":[{"name":"x","args":"y"}]})"), "");
  EXPECT_NE(mistake(R"({"require":{"name":"x"}})"), "");
  EXPECT_NE(mistake(R"({"require":["x"]})"), "");
  EXPECT_NE(mistake(R"({"forbid":"x"})"), "");
  EXPECT_NE(mistake(R"({"forbid_calls":[{"args_match":{}}]})"), "");
  EXPECT_NE(mistake(R"({"forbid_calls":[{"name":"x","args":{}}]})"), "");
  EXPECT_NE(mistake(R"({"order":["a"],"order_mode":"exakt"})"), "");
  EXPECT_EQ(mistake(R"({"order_mode":"exact"})"), "`order_mode` needs `order`");
  test::Block typo(R"({"tools":{"require":[{"name":"x","args_mach":{}}]}})");
  ASSERT_EQ(typo.errors.size(), 1u);
  EXPECT_EQ(typo.errors[0].hint, "did you mean args_match?");
}

TEST(Tools, DeferredItemsAreLeftOutWithoutAMistake) {
  test::Block block(
      R"({"tools":{"forbid":["${X}","a"],"require":[{"name":"x","args_match":{"q":"${X}"}}],"forbid_calls":[{"name":"${Y}"}],"order":"${Z}"}})");
  EXPECT_EQ(block.mistake(), "");
  EXPECT_EQ(block.block.entries.size(), 1u);
}

RC_GTEST_PROP(Order, ExactImpliesEveryOtherMode, ()) {
  auto names = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", "b", "c"));
  auto called = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", "b", "c"));
  std::vector<ToolCall> calls;
  for (const auto& name : called)
    calls.push_back(call(name));
  Turn turn = turn_of(calls);
  auto holds = [&](const std::string& mode) {
    return failure(R"({"tools":{"order":)" + to_compact(Json(names)) + R"(,"order_mode":")" + mode + "\"}}", turn).empty();
  };
  RC_ASSERT(holds("exact") == (names == called));
  if (holds("exact")) RC_ASSERT(holds("subsequence") && holds("set"));
  if (holds("subsequence") || holds("set")) RC_ASSERT(holds("superset"));
}

RC_GTEST_PROP(Require, CountsAreExact, ()) {
  int n = *rc::gen::inRange(0, 6);
  int min = *rc::gen::inRange(0, 6);
  int max = *rc::gen::inRange(min, 7);
  std::vector<ToolCall> calls(static_cast<size_t>(n), call("x"));
  std::string item = R"({"name":"x","count":{"min":)" + std::to_string(min) + R"(,"max":)" + std::to_string(max) + "}}";
  RC_ASSERT(require(item, calls).empty() == (n >= min && n <= max));
}

}  // namespace
}  // namespace assay
