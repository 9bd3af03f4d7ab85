#include "load/variables.h"

#include <gtest/gtest.h>

#include "support/yaml.h"

namespace assay {
namespace {

using testing::listed;
using testing::pointed;
using testing::yaml;
using Unknown = Bindings::Unknown;

class VariablesTest : public ::testing::Test {
 protected:
  // The value of the document, resolved.
  Json resolved(const std::string& text, Unknown unknown = Unknown::kMistake) {
    document_ = yaml(text);
    Reader reader;
    node_ = resolve_variables(document_.root, {&env_, &variables_, &secrets_, unknown}, reader);
    errors_ = reader.take_errors();
    return node_.to_json();
  }
  Json value(const std::string& scalar) { return resolved("v: " + scalar + "\n")["v"]; }
  std::string mistakes(const std::string& text, Unknown unknown = Unknown::kMistake) {
    resolved(text, unknown);
    return listed(errors_);
  }

  Env env_;
  Variables variables_;
  Redactor secrets_;
  Document document_;
  Node node_;
  Errors errors_;
};

TEST_F(VariablesTest, AWholeReferenceKeepsItsType) {
  variables_ = {{"N", 3},
                {"F", 1.5},
                {"B", true},
                {"Z", nullptr},
                {"S", "text"},
                {"L", Json::array({1, "a"})},
                {"O", Json{{"k", Json{{"d", 1}}}}}};
  EXPECT_EQ(value("${N}"), Json(3));
  EXPECT_EQ(value("\"${F}\""), Json(1.5));
  EXPECT_EQ(value("'${B}'"), Json(true));
  EXPECT_EQ(value("${Z}"), Json(nullptr));
  EXPECT_EQ(value("${S}"), Json("text"));
  EXPECT_EQ(value("${L}"), Json::array({1, "a"}));
  EXPECT_EQ(value("${O}"), (Json{{"k", Json{{"d", 1}}}}));
  EXPECT_TRUE(errors_.empty());
}

TEST_F(VariablesTest, InsideTextItBecomesText) {
  variables_ = {{"N", 3}, {"S", "text"}, {"O", Json{{"k", 1}}}, {"F", 1.0}};
  EXPECT_EQ(value("a ${N} b ${S}${S}"), Json("a 3 b texttext"));
  EXPECT_EQ(value("\"${N} \""), Json("3 "));
  EXPECT_EQ(value("\"x${O}\""), Json("x{\"k\":1}"));
  EXPECT_EQ(value("\"x${F}\""), Json("x1"));
}

TEST_F(VariablesTest, NodesOfAVariableStandWhereItIsWritten) {
  variables_ = {{"L", Json::array({Json{{"k", 1}}})}};
  resolved("a: 1\nv: ${L}\n");
  const Node& inner = node_.find("v")->items[0].members[0].value;
  EXPECT_EQ(inner.line, 2);
  EXPECT_EQ(pointed(inner.place()), "${L}");
}

TEST_F(VariablesTest, Defaults) {
  variables_ = {{"S", "set"}};
  EXPECT_EQ(value("${S:-other}"), Json("set"));
  EXPECT_EQ(value("${X:-other}"), Json("other"));
  EXPECT_EQ(value("\"a ${X:-b c} d\""), Json("a b c d"));
  EXPECT_EQ(value("${X:-}"), Json(""));
  EXPECT_EQ(value("${ENV.X:-from:-default}"), Json("from:-default"));
  EXPECT_TRUE(errors_.empty());
}

TEST_F(VariablesTest, DefaultsAndTheEnvironmentServeAsNumbers) {
  env_.variables["N"] = "12";
  resolved("v: ${ENV.N}\nw: ${X:-true}\nq: \"12\"\n");
  Reader reader;
  EXPECT_EQ(reader.number(*node_.find("v"), "`v`"), 12.0);
  EXPECT_EQ(reader.boolean(*node_.find("w"), "`w`"), true);
  EXPECT_TRUE(reader.ok());
  EXPECT_FALSE(reader.number(*node_.find("q"), "`q`"));
}

TEST_F(VariablesTest, EscapedReferencesStay) {
  variables_ = {{"X", "v"}};
  EXPECT_EQ(value("$${X}"), Json("${X}"));
  EXPECT_EQ(value("\"$${X} ${X} $${\""), Json("${X} v ${"));
  EXPECT_EQ(value("$$${X}"), Json("$${X}"));
  EXPECT_EQ(value("$X"), Json("$X"));
  EXPECT_EQ(value("\"$ {X} 5$ $\""), Json("$ {X} 5$ $"));
  EXPECT_TRUE(errors_.empty());
}

TEST_F(VariablesTest, AnUnsetEnvironmentVariableIsAlwaysAMistake) {
  for (Unknown unknown : {Unknown::kMistake, Unknown::kDefer})
    EXPECT_EQ(mistakes("v: \"a ${ENV.NOT_SET} ${ENV.NEITHER}\"\n", unknown),
              "1:7 environment variable NOT_SET is not set\n1:22 environment variable NEITHER is not set\n");
  EXPECT_EQ(errors_[0].hint, "set it, or give a default: ${ENV.NOT_SET:-text}");
  EXPECT_EQ(pointed(errors_[0].place), "${ENV.NOT_SET}");
  env_.variables["EMPTY"] = "";
  EXPECT_EQ(value("${ENV.EMPTY}"), Json(""));
  EXPECT_TRUE(errors_.empty());
}

TEST_F(VariablesTest, UnknownVariablesWaitOrAreMistakes) {
  variables_ = {{"CART_ID", 1}};
  resolved("v: \"a ${CART_IDS}\"\nw: ${CART_ID}\n", Unknown::kDefer);
  EXPECT_TRUE(errors_.empty());
  EXPECT_TRUE(node_.find("v")->is_deferred());
  EXPECT_FALSE(node_.find("w")->is_deferred());
  EXPECT_TRUE(node_.has_deferred());
  EXPECT_EQ(mistakes("v: \"a ${CART_IDS}\"\n"), "1:7 unknown variable CART_IDS\n");
  EXPECT_EQ(errors_[0].hint, "did you mean CART_ID?");
  variables_.clear();
  mistakes("v: ${X}\n");
  EXPECT_EQ(errors_[0].hint, "no variable is set: see vars, --var and hooks");
}

TEST_F(VariablesTest, EveryMistakeOfATextIsReported) {
  EXPECT_EQ(mistakes("v: \"${A} ${B} ${ENV.C} ${\"\n"),
            "1:5 unknown variable A\n1:10 unknown variable B\n1:15 environment variable C is not set\n"
            "1:24 `${` begins no variable\n");
}

TEST_F(VariablesTest, ListsAndMapsButNotKeys) {
  variables_ = {{"X", 1}};
  EXPECT_EQ(to_compact(resolved("l: [a, \"${X}\", {k: \"${X}\"}]\n\"${X}\": \"${X}\"\n")), R"({"l":["a",1,{"k":1}],"${X}":1})");
}

TEST_F(VariablesTest, MalformedReferencesAreMistakesEvenWhenDeferring) {
  variables_ = {{"X", 1}};
  for (const char* text : {"${", "${}", "${X", "${X Y}", "a ${:-x}", "${X:-open", "${X:x}", "${ X }", "${ö}"})
    for (Unknown unknown : {Unknown::kMistake, Unknown::kDefer}) {
      mistakes("v: '" + std::string(text) + "'\n", unknown);
      ASSERT_EQ(errors_.size(), 1u) << text;
      EXPECT_EQ(errors_[0].message, "`${` begins no variable") << text;
      EXPECT_TRUE(pointed(errors_[0].place).starts_with("${")) << text;
    }
}

TEST_F(VariablesTest, ValuesAreNotExpandedAgain) {
  env_.variables["E"] = "${X}";
  variables_ = {{"X", "x"}, {"Y", "${X}"}, {"L", Json::array({"${X}"})}};
  EXPECT_EQ(value("${ENV.E}"), Json("${X}"));
  EXPECT_EQ(value("\"a${ENV.E}b\""), Json("a${X}b"));
  EXPECT_EQ(value("${Y}"), Json("${X}"));
  EXPECT_EQ(value("${L}"), Json::array({"${X}"}));
  EXPECT_TRUE(errors_.empty());
}

TEST_F(VariablesTest, OnlyTheEnvironmentIsSecret) {
  env_.variables["TOKEN"] = "s3cret-token";
  env_.variables["SHORT"] = "short";
  variables_ = {{"X", "plain-value"}};
  resolved("v: [\"${ENV.TOKEN}\", \"${ENV.SHORT}\", \"${X}\", \"${ENV.NONE:-default-text}\"]\n");
  EXPECT_EQ(secrets_.apply("s3cret-token short plain-value default-text"), "*** short plain-value default-text");
}

TEST_F(VariablesTest, ReferencesBehindOneInAQuotedTextAreFound) {
  mistakes("v: \"\\u00e4 ${A} ${A}\"\n");
  EXPECT_EQ(listed(errors_), "1:12 unknown variable A\n1:17 unknown variable A\n");
}

TEST(NamesVariables, AllButTheEnvironment) {
  for (auto [text, expected] : {std::pair{"v: ${X}", true},
                                {"v: ${ENV.X}", false},
                                {"v: [a, {k: \"x ${ENV.Y} ${X}\"}]", true},
                                {"v: $${X}", false},
                                {"\"${X}\": 1", false},
                                {"v: ${X:-d}", true}})
    EXPECT_EQ(names_variables(yaml(text).root), expected) << text;
}

}  // namespace
}  // namespace assay
