#include "base/json.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Json, NumbersPrintAsInJavaScript) {
  EXPECT_EQ(number_text(1.0), "1");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(123456.789), "123456.789");
  EXPECT_EQ(number_text(1e21), "1e+21");
  EXPECT_EQ(number_text(1e20), "100000000000000000000");
  EXPECT_EQ(number_text(1e-7), "1e-7");
  EXPECT_EQ(number_text(1.5e-7), "1.5e-7");
  EXPECT_EQ(number_text(0.000001), "0.000001");
  EXPECT_EQ(number_text(-12.5), "-12.5");
}

TEST(Json, CompactKeepsKeyOrder) {
  auto value = parse_json(R"({"b": 1.0, "a": [true, null, "x\ny"]})");
  ASSERT_TRUE(value);
  EXPECT_EQ(to_compact(*value), R"({"b":1,"a":[true,null,"x\ny"]})");
}

TEST(Json, RepeatedKeyKeepsItsPlaceAndTakesTheLastValue) {
  EXPECT_EQ(to_compact(*parse_json(R"({"a":1,"b":2,"a":3})")), R"({"a":3,"b":2})");
}

TEST(Json, LimitsAreErrorsThatNameThemselves) {
  EXPECT_NE(parse_json("[[[1]]]", {.depth = 2}).error().message.find("deeper than 2"), std::string::npos);
  EXPECT_TRUE(parse_json("[[1]]", {.depth = 2}));
  EXPECT_NE(parse_json(R"({"a":1,"b":2})", {.object_members = 1}).error().message.find("more than 1"), std::string::npos);
}

TEST(Json, HostileTextIsRepaired) {
  EXPECT_EQ(parse_json("\"\\ud83d\"")->get<std::string>(), "\xEF\xBF\xBD");
  EXPECT_EQ(parse_json("\"\\ud83d\\ude00\"")->get<std::string>(), "😀");
  EXPECT_EQ(parse_json("\"a\xff\"")->get<std::string>(), "a\xEF\xBF\xBD");
  EXPECT_FALSE(parse_json("{"));
  EXPECT_FALSE(parse_json(""));
  EXPECT_FALSE(parse_json("{} x"));
}

TEST(Json, EqualityIsStructural) {
  EXPECT_TRUE(json_equal(*parse_json(R"({"a":1,"b":[1.0]})"), *parse_json(R"({"b":[1],"a":1.0})")));
  EXPECT_FALSE(json_equal(*parse_json("[1,2]"), *parse_json("[2,1]")));
  EXPECT_FALSE(json_equal(*parse_json("1"), *parse_json("\"1\"")));
}

TEST(Json, PathsFindLiteralKeysFirst) {
  Json v = *parse_json(R"({"a.b":1,"a":{"b":2,"c.d":{"e":3}},"items":[{"id":"x"}]})");
  EXPECT_EQ(*find_path(v, "a.b"), 1);
  EXPECT_EQ(*find_path(v, "a.c.d.e"), 3);
  EXPECT_EQ(*find_path(v, "items.0.id"), "x");
  EXPECT_EQ(find_path(v, "items.1.id"), nullptr);
  EXPECT_EQ(*find_pointer_or_path(v, "/a/b"), 2);
  EXPECT_EQ(*find_pointer_or_path(v, "/items/0/id"), "x");
}

}  // namespace
}  // namespace assay
