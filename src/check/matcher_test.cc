#include "check/matcher.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "support/node_from_json.h"

namespace assay {
namespace {

Json json(const std::string& text) { return *parse_json(text); }

struct Compiled {
  Document document;
  std::optional<Matcher> matcher;
  Errors errors;
};

Compiled compile(const std::string& text, bool fields = false) {
  Compiled out{test::node_from_json(text), std::nullopt, {}};
  Reader reader;
  out.matcher = fields ? Matcher::read_fields(reader, out.document.root) : Matcher::read(reader, out.document.root);
  out.errors = reader.take_errors();
  return out;
}

std::string why(const std::string& matcher, const std::string& value) {
  auto compiled = compile(matcher);
  EXPECT_TRUE(compiled.matcher && compiled.errors.empty()) << matcher;
  Json parsed = value.empty() ? Json() : json(value);
  return compiled.matcher->mismatch(value.empty() ? nullptr : &parsed).value_or("");
}
bool matches(const std::string& matcher, const std::string& value) { return why(matcher, value).empty(); }

std::string fields_why(const std::string& matcher, const std::string& value) {
  Json parsed = json(value);
  return compile(matcher, true).matcher->mismatch(&parsed).value_or("");
}

std::string mistake(const std::string& matcher) {
  auto compiled = compile(matcher);
  EXPECT_FALSE(compiled.errors.empty()) << matcher;
  return compiled.errors.empty() ? "" : compiled.errors[0].message;
}

constexpr const char* kMissing = "";

TEST(Matcher, APlainValueMeansEqual) {
  EXPECT_TRUE(matches("1", "1.0"));
  EXPECT_TRUE(matches("\"a\"", "\"a\""));
  EXPECT_FALSE(matches("\"a\"", "\"ab\""));
  EXPECT_TRUE(matches("[1,2]", "[1,2]"));
  EXPECT_FALSE(matches("[1,2]", "[2,1]"));
  EXPECT_TRUE(matches("null", "null"));
  EXPECT_FALSE(matches("null", kMissing));
  EXPECT_TRUE(matches("{}", "{}"));
  EXPECT_FALSE(matches("{}", R"({"a":1})"));
  EXPECT_FALSE(matches("1", "\"1\""));
}

TEST(Matcher, Equality) {
  EXPECT_TRUE(matches(R"({"equals":{"a":1,"b":2}})", R"({"b":2,"a":1})"));
  EXPECT_FALSE(matches(R"({"equals":{"a":1}})", R"({"b":2,"a":1})"));
  EXPECT_FALSE(matches(R"({"equals":1})", kMissing));
  EXPECT_TRUE(matches(R"({"equals":{"gt":1}})", R"({"gt":1})"));
}

TEST(Matcher, Not) {
  EXPECT_TRUE(matches(R"({"not":1})", "2"));
  EXPECT_FALSE(matches(R"({"not":1})", "1"));
  EXPECT_TRUE(matches(R"({"not":{"regex":"err"}})", "\"fine\""));
  EXPECT_FALSE(matches(R"({"not":{"regex":"err"}})", "\"error\""));
  EXPECT_TRUE(matches(R"({"not":{"equals":1}})", kMissing));
  EXPECT_EQ(why(R"({"not":1})", "1"), "expected not 1, found 1");
}

TEST(Matcher, RegexSeesTheTextForm) {
  EXPECT_TRUE(matches(R"({"regex":"^4\\d$"})", "42"));
  EXPECT_TRUE(matches(R"({"regex":"\"a\":1"})", R"({"a":1.0})"));
  EXPECT_TRUE(matches(R"({"regex":"/PAR/i"})", "\"Paris\""));
  EXPECT_FALSE(matches(R"({"regex":""})", kMissing));
  EXPECT_EQ(why(R"({"regex":"x"})", "\"abc\""), "expected a match for \"x\", found \"abc\"");
}

TEST(Matcher, ContainsInStringsListsAndObjects) {
  EXPECT_TRUE(matches(R"({"contains":"ari"})", "\"Paris\""));
  EXPECT_TRUE(matches(R"({"contains":4})", "\"42\""));
  EXPECT_TRUE(matches(R"({"contains":1})", "[3,1.0]"));
  EXPECT_FALSE(matches(R"({"contains":"1"})", "[3,1]"));
  EXPECT_TRUE(matches(R"({"contains":"k"})", R"({"k":null})"));
  EXPECT_FALSE(matches(R"({"contains":"v"})", R"({"k":"v"})"));
  EXPECT_FALSE(matches(R"({"contains":1})", "1"));
  EXPECT_FALSE(matches(R"({"contains":1})", kMissing));
}

TEST(Matcher, InAndComparisons) {
  EXPECT_TRUE(matches(R"({"in":["a",2]})", "2"));
  EXPECT_FALSE(matches(R"({"in":["a",2]})", "\"b\""));
  EXPECT_TRUE(matches(R"({"gt":1,"lt":3})", "2"));
  EXPECT_FALSE(matches(R"({"gt":1,"lt":3})", "3"));
  EXPECT_TRUE(matches(R"({"gte":-2,"lte":2})", "2.0"));
  EXPECT_TRUE(matches(R"({"gt":-2.5})", "-2"));
  EXPECT_FALSE(matches(R"({"gt":1})", "\"2\""));
  EXPECT_FALSE(matches(R"({"lt":1})", "null"));
  EXPECT_FALSE(matches(R"({"lt":1})", kMissing));
  EXPECT_EQ(why(R"({"gt":100})", "20"), "expected > 100, found 20");
}

TEST(Matcher, TypeLengthExists) {
  EXPECT_TRUE(matches(R"({"type":"object"})", "{}"));
  EXPECT_TRUE(matches(R"({"type":"integer"})", "2.0"));
  EXPECT_FALSE(matches(R"({"type":"integer"})", "2.5"));
  EXPECT_TRUE(matches(R"({"type":"null"})", "null"));
  EXPECT_TRUE(matches(R"({"type":null})", "null"));
  EXPECT_FALSE(matches(R"({"type":"null"})", kMissing));
  EXPECT_TRUE(matches(R"({"length":2})", "\"é😀\""));
  EXPECT_TRUE(matches(R"({"length":{"gte":1}})", "[1]"));
  EXPECT_FALSE(matches(R"({"length":{"gte":1}})", "{}"));
  EXPECT_FALSE(matches(R"({"length":0})", "5"));
  EXPECT_EQ(why(R"({"length":2})", "[1]"), "length: expected 2, found 1");
  EXPECT_TRUE(matches(R"({"exists":true})", "null"));
  EXPECT_FALSE(matches(R"({"exists":true})", kMissing));
  EXPECT_TRUE(matches(R"({"exists":false})", kMissing));
  EXPECT_EQ(why(R"({"exists":false})", "1"), "expected no value, found 1");
}

TEST(Matcher, AnyOfAndEach) {
  EXPECT_TRUE(matches(R"({"any_of":[1,{"gt":10}]})", "11"));
  EXPECT_FALSE(matches(R"({"any_of":[1,{"gt":10}]})", "5"));
  EXPECT_TRUE(matches(R"({"each":{"type":"number"}})", "[1,2]"));
  EXPECT_TRUE(matches(R"({"each":{"type":"number"}})", "[]"));
  EXPECT_FALSE(matches(R"({"each":1})", "1"));
  EXPECT_EQ(why(R"({"items":{"each":{"id":{"gt":0}}}})", R"({"items":[{"id":1},{"id":0}]})"),
            "items.1.id: expected > 0, found 0");
}

TEST(Matcher, Schema) {
  std::string schema = R"({"schema":{"type":"object","required":["id"],"properties":{"id":{"type":"integer","minimum":1}}}})";
  EXPECT_TRUE(matches(schema, R"({"id":3})"));
  EXPECT_FALSE(matches(schema, R"({"id":0})"));
  EXPECT_FALSE(matches(schema, "{}"));
  EXPECT_FALSE(matches(schema, kMissing));
  EXPECT_NE(why(schema, R"({"id":"x"})").find("(id: "), std::string::npos) << why(schema, R"({"id":"x"})");
}

TEST(Matcher, ObjectsThatAreNotAllOperatorsDescend) {
  EXPECT_TRUE(matches(R"({"user":{"name":"John"}})", R"({"user":{"name":"John","age":3},"x":1})"));
  EXPECT_EQ(why(R"({"user":{"age":{"gt":10}}})", R"({"user":{"age":3}})"), "user.age: expected > 10, found 3");
  EXPECT_EQ(why(R"({"total":{"gt":100}})", R"({})"), "total: expected > 100, found nothing");
  // A mix: all keys are fields.
  EXPECT_TRUE(matches(R"({"type":"a","name":"b"})", R"({"type":"a","name":"b"})"));
  EXPECT_FALSE(matches(R"({"type":"string","name":"b"})", R"({"type":"a","name":"b"})"));
  EXPECT_TRUE(matches(R"({"a":{"b":{"exists":false}}})", "{}"));
}

TEST(Matcher, FieldsAreDottedPathsWhereNoLiteralKeyExists) {
  EXPECT_TRUE(matches(R"({"user.name":"x"})", R"({"user":{"name":"x"}})"));
  EXPECT_FALSE(matches(R"({"user.name":"x"})", R"({"user.name":"y","user":{"name":"x"}})"));
  EXPECT_TRUE(matches(R"({"items.0.id":1})", R"({"items":[{"id":1}]})"));
}

TEST(Matcher, TheTopOfFieldsIsNeverAnOperatorButEquals) {
  EXPECT_EQ(fields_why(R"({"type":"a"})", R"({"type":"a"})"), "");
  EXPECT_EQ(fields_why(R"({"gt":1})", "5"), "gt: expected 1, found nothing");
  EXPECT_EQ(fields_why(R"({"equals":{"a":1}})", R"({"a":1})"), "");
  EXPECT_NE(fields_why(R"({"equals":{"a":1}})", R"({"a":1,"b":2})"), "");
  EXPECT_EQ(fields_why(R"({"equals":1,"a":2})", R"({"equals":1,"a":2})"), "");
  EXPECT_EQ(fields_why(R"({})", R"({"a":1})"), "");
  EXPECT_EQ(fields_why("\"ok\"", "\"ok\""), "");
  EXPECT_EQ(fields_why(R"({"n":{"gt":1}})", R"({"n":2})"), "");
}

TEST(Matcher, AnOperatorMayTestAFieldOfTheTop) { EXPECT_EQ(fields_why(R"({"length":{"length":1}})", R"({"length":"x"})"), ""); }

TEST(Matcher, MistakesAreFoundAtLoad) {
  EXPECT_NE(mistake(R"({"regex":"a("})").find("bad pattern"), std::string::npos);
  EXPECT_NE(mistake(R"({"gt":"x"})").find("`gt` must be a number"), std::string::npos);
  EXPECT_NE(mistake(R"({"type":"strnig"})").find("strnig"), std::string::npos);
  EXPECT_NE(mistake(R"({"in":1})").find("`in` must be a list"), std::string::npos);
  EXPECT_NE(mistake(R"({"exists":"x"})").find("`exists`"), std::string::npos);
  EXPECT_NE(mistake(R"({"any_of":[]})").find("at least one"), std::string::npos);
  EXPECT_NE(mistake(R"({"length":-1})").find("`length`"), std::string::npos);
  EXPECT_NE(mistake(R"({"schema":{"type":"nonsense"}})").find("schema"), std::string::npos);
  EXPECT_NE(mistake(R"({"a":{"not":{"regex":"["}}})").find("bad pattern"), std::string::npos);
}

TEST(Matcher, DeferredValuesAreLeftOut) {
  EXPECT_FALSE(compile(R"("${X}")").matcher);
  for (const char* text :
       {R"("${X}")", R"({"regex":"${X}"})", R"({"gt":"${X}"})", R"({"a":"${X}"})", R"({"type":"${X}"})", R"({"in":"${X}"})",
        R"({"length":"${X}"})", R"({"schema":"${X}"})", R"({"not":"${X}"})", R"({"exists":"${X}"})"})
    EXPECT_TRUE(compile(text).errors.empty()) << text;
}

TEST(Matcher, TheMatchLimitIsNoVerdictEvenNegated) {
  Json value = std::string(60, 'a') + "b";
  for (const char* text : {R"({"regex":"(?=a)(a+)+\\1$"})", R"({"not":{"regex":"(?=a)(a+)+\\1$"}})",
                           R"({"any_of":[{"regex":"(?=a)(a+)+\\1$"},1]})"}) {
    auto compiled = compile(text);
    std::string reason;
    EXPECT_EQ(compiled.matcher->match(&value, reason), Pattern::Match::kLimit);
    EXPECT_NE(reason.find("match limit"), std::string::npos);
  }
}

TEST(Matcher, DescribesItself) {
  EXPECT_EQ(compile(R"({"gt":1,"lt":5})").matcher->describe(), "> 1 and < 5");
  EXPECT_EQ(compile(R"({"a":1,"b":{"regex":"x"}})").matcher->describe(), "a 1, b a match for \"x\"");
}

RC_GTEST_PROP(Matcher, NotIsTheOppositeForNumbers, (int bound, int value)) {
  std::string gt = R"({"gt":)" + std::to_string(bound) + "}";
  std::string text = std::to_string(value);
  RC_ASSERT(matches(gt, text) == (value > bound));
  RC_ASSERT(matches(R"({"not":)" + gt + "}", text) != matches(gt, text));
}

RC_GTEST_PROP(Matcher, EveryStringEqualsItself, (const std::string& text)) {
  std::string value = to_compact(Json(text));
  RC_ASSERT(matches(R"({"equals":)" + value + "}", value));
}

}  // namespace
}  // namespace assay
