#include "check/schema.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::optional<std::string> violation(const std::string& schema, const Json& value) {
  auto compiled = Schema::compile(*parse_json(schema));
  EXPECT_TRUE(compiled) << schema << (compiled ? "" : compiled.error().message);
  return compiled ? compiled->violation(value) : std::nullopt;
}

TEST(Schema, SaysWhereTheFirstBreachIs) {
  auto found = violation(R"({"properties":{"items":{"items":{"type":"number"}}}})", *parse_json(R"({"items":[1,"x"]})"));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->starts_with("items.1: ")) << *found;
}

TEST(Schema, LocalReferencesAndRecursion) {
  std::string tree =
      R"({"properties":{"next":{"$ref":"#"},"n":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":"number"}}})";
  EXPECT_FALSE(violation(tree, *parse_json(R"({"n":1,"next":{"n":2}})")));
  EXPECT_TRUE(violation(tree, *parse_json(R"({"n":1,"next":{"n":"2"}})")));
}

TEST(Schema, SharedReferencesAreNoCircle) {
  std::string shared =
      R"({"allOf":[{"$ref":"#/definitions/a"},{"$ref":"#/definitions/a"}],"definitions":{"a":{"type":"number"}}})";
  EXPECT_FALSE(violation(shared, 1));
  EXPECT_TRUE(violation(shared, "x"));
}

TEST(Schema, BooleansAreSchemas) {
  EXPECT_FALSE(violation("true", 1));
  EXPECT_TRUE(violation("false", 1));
}

TEST(Schema, BadOnesAreRefused) {
  for (const char* schema :
       {R"({"type":"nonsense"})", R"({"type":5})", R"({"properties":[]})", R"({"pattern":"a("})",
        R"({"patternProperties":{"[":{}}})", R"({"$ref":"http://example.com/x.json"})", R"({"$ref":"#"})",
        R"({"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}}})",
        R"({"$ref":"#/nowhere"})", R"({"allOf":[{"$ref":"#"}]})", R"({"properties":{"a":{"not":{"$ref":"#/properties/a"}}}})",
        "5", "\"x\""})
    EXPECT_FALSE(Schema::compile(*parse_json(schema))) << schema;
}

TEST(Schema, PatternsRunOnOurEngines) {
  EXPECT_FALSE(violation(R"({"pattern":"^(?!x)a+$"})", "aaa"));
  EXPECT_TRUE(violation(R"({"pattern":"^a+$"})", "b"));
  EXPECT_FALSE(violation(R"({"pattern":"/x/"})", "/x/"));
  EXPECT_TRUE(violation(R"({"pattern":"(a+)+$"})", std::string(1 << 20, 'a') + "b"));
  EXPECT_FALSE(violation(R"({"pattern":"(.|x)*"})", std::string(1 << 20, 'a')));
  EXPECT_FALSE(violation(R"({"pattern":"x"})", 5));
}

TEST(Schema, PatternPropertiesAndNames) {
  std::string schema = R"({"patternProperties":{"^n_":{"type":"number"}},"additionalProperties":false})";
  EXPECT_FALSE(violation(schema, *parse_json(R"({"n_a":1})")));
  EXPECT_TRUE(violation(schema, *parse_json(R"({"n_a":"1"})")));
  EXPECT_TRUE(violation(schema, *parse_json(R"({"m":1})")));
  Json hostile = Json::object();
  hostile[std::string(1 << 20, 'a')] = 1;
  EXPECT_TRUE(violation(R"({"patternProperties":{"^(a|b)*c$":{}},"additionalProperties":false})", hostile));
  EXPECT_TRUE(violation(R"({"propertyNames":{"pattern":"^(b|c)*$"}})", hostile));
}

TEST(Schema, Formats) {
  EXPECT_FALSE(violation(R"({"format":"date"})", "2024-02-28"));
  EXPECT_TRUE(violation(R"({"format":"date"})", "2024-13-28"));
  EXPECT_TRUE(violation(R"({"format":"date"})", std::string(1 << 20, '1')));
  EXPECT_FALSE(violation(R"({"format":"date-time"})", "2024-02-28T10:00:00Z"));
  EXPECT_TRUE(violation(R"({"format":"time"})", "25:00:00Z"));
  EXPECT_FALSE(violation(R"({"format":"date"})", 5));
}

}  // namespace
}  // namespace assay
