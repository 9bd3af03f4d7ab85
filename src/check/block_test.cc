#include "check/block.h"

#include <gtest/gtest.h>

#include <map>

#include "check/block_key.h"
#include "support/checks.h"

namespace assay {
namespace {

using test::Block;
using test::call;
using test::turn_of;

// The words each check expects, to see which ones are in force.
std::vector<std::string> in_force(const std::vector<CheckPtr>& checks) {
  Transcript transcript = test::transcript_of({turn_of({})});
  std::vector<std::string> out;
  for (const auto& result : test::evaluate(checks, test_scope(transcript)))
    out.push_back(result.type + " " + result.expected.get<std::string>());
  return out;
}
using Words = std::vector<std::string>;

Words in_turn(const std::string& target, const std::string& test, const std::string& turn) {
  Block a(target), b(test), c(turn);
  EXPECT_EQ(a.mistake() + b.mistake() + c.mistake(), "");
  return in_force(turn_checks(a.block, b.block, c.block));
}
Words in_test(const std::string& target, const std::string& test) {
  Block a(target), b(test);
  EXPECT_EQ(a.mistake() + b.mistake(), "");
  return in_force(test_checks(a.block, b.block));
}

TEST(Levels, ListsAccumulateDownward) {
  auto forbid = [](const std::string& name) { return R"({"tools":{"forbid":[")" + name + "\"]}}"; };
  EXPECT_EQ(in_turn(forbid("a"), forbid("b"), forbid("c")),
            (Words{"tools.forbid no call of \"a\"", "tools.forbid no call of \"b\"", "tools.forbid no call of \"c\""}));
  EXPECT_EQ(in_test(forbid("a"), forbid("b")), (Words{"tools.forbid no call of \"a\"", "tools.forbid no call of \"b\""}));
  EXPECT_EQ(in_turn(R"({"text":{"must_not_match":"x"}})", R"({"text":{"must_not_match":["y"]}})", "{}").size(), 2u);
  EXPECT_EQ(in_turn(R"({"text":{"final":{"must_not_match":"x"}}})", "{}", "{}").size(), 1u);
  EXPECT_EQ(in_turn(R"({"tools":{"forbid_calls":[{"name":"a"}]}})", R"({"tools":{"forbid_calls":[{"name":"b"}]}})", "{}").size(),
            2u);
}

TEST(Levels, TheLowestScalarWins) {
  auto limit = [](const std::string& ms) { return R"({"timing":{"max_idle_ms":)" + ms + "}}"; };
  EXPECT_EQ(in_turn(limit("1"), limit("2"), limit("3")), Words{"timing.max_idle_ms at most 3 ms"});
  EXPECT_EQ(in_turn(limit("1"), limit("2"), "{}"), Words{"timing.max_idle_ms at most 2 ms"});
  EXPECT_EQ(in_test(limit("1"), limit("2")), Words{"timing.max_idle_ms at most 2 ms"});
  EXPECT_EQ(in_test(limit("1"), R"({"timing":{"max_gap_ms":5}})").size(), 2u);
  EXPECT_EQ(in_turn(R"({"usage":{"max_tokens":5}})", R"({"usage":{"max_tokens":9}})", "{}"),
            Words{"usage.max_tokens at most 9 tokens"});
}

TEST(Levels, RequirementsStayWhereTheyAreWritten) {
  std::string block =
      R"({"tools":{"require":[{"name":"a"}],"order":["a"]},"text":{"must_match":"x","final":{"must_match":"y"}},"state":{"s":1}})";
  EXPECT_EQ(in_turn(block, block, "{}").size(), 0u);
  EXPECT_EQ(in_turn("{}", "{}", block).size(), 5u);
  EXPECT_EQ(in_test(block, block).size(), 10u);
}

TEST(Levels, FalseSwitchesAnInheritedOneOff) {
  EXPECT_EQ(in_turn(R"({"tools":{"forbid":["a"]}})", R"({"tools":{"forbid":false}})", R"({"tools":{"forbid":["c"]}})"),
            Words{"tools.forbid no call of \"c\""});
  EXPECT_EQ(in_turn(R"({"tools":{"forbid_calls":[{"name":"a"}]}})", "{}", R"({"tools":{"forbid_calls":false}})").size(), 0u);
  EXPECT_EQ(in_turn(R"({"text":{"must_not_match":"x"}})", "{}", R"({"text":{"must_not_match":false}})").size(), 0u);
  EXPECT_EQ(in_turn(R"({"text":{"final":{"must_not_match":"x"}}})", "{}", R"({"text":{"final":false}})").size(), 0u);
  EXPECT_EQ(in_test(R"({"timing":{"max_idle_ms":5,"max_gap_ms":5}})", R"({"timing":{"max_idle_ms":false}})"),
            Words{"timing.max_gap_ms at most 5 ms"});
  EXPECT_EQ(in_test(R"({"usage":{"max_tokens":5}})", R"({"usage":{"max_tokens":false}})").size(), 0u);
  // Only downward: the test keeps what a turn switches off.
  EXPECT_EQ(in_test("{}", R"({"timing":{"max_idle_ms":5}})").size(), 1u);
  EXPECT_EQ(in_turn(R"({"timing":{"max_idle_ms":false}})", R"({"timing":{"max_idle_ms":5}})", "{}").size(), 1u);
}

TEST(Levels, FalseForAFamilySwitchesAllOfItOff) {
  std::string all = R"({"tools":{"forbid":["a"],"forbid_calls":[{"name":"b"}]},"timing":{"max_idle_ms":5,"max_duration_ms":5},
    "text":{"must_not_match":"x","final":{"must_not_match":"y"}},"usage":{"max_tokens":5},"protocol":"strict"})";
  EXPECT_EQ(in_turn(all, "{}", "{}").size(), 8u);
  EXPECT_EQ(in_turn(all, "{}", R"({"tools":false})").size(), 6u);
  EXPECT_EQ(in_turn(all, R"({"timing":false})", "{}").size(), 6u);
  EXPECT_EQ(in_turn(all, "{}", R"({"text":false})").size(), 6u);
  EXPECT_EQ(in_turn(all, "{}", R"({"usage":false})").size(), 7u);
  EXPECT_EQ(in_turn(all, "{}", R"({"protocol":false})").size(), 7u);
  EXPECT_EQ(in_turn(all, "{}", "false").size(), 0u);
}

TEST(Levels, FalseAtTheTestSwitchesATargetsRequirementOff) {
  EXPECT_EQ(in_test(R"({"tools":{"require":[{"name":"a"}]}})", R"({"tools":{"require":false}})").size(), 0u);
  EXPECT_EQ(in_test(R"({"text":{"must_match":"a"}})", R"({"text":false})").size(), 0u);
}

class Extends : public ::testing::Test {
 protected:
  void name(const std::string& block_name, const std::string& text) { documents_[block_name] = test::node_from_json(text); }
  NamedBlocks named() {
    return [this](std::string_view block_name) -> const Node* {
      auto it = documents_.find(block_name);
      return it == documents_.end() ? nullptr : &it->second.root;
    };
  }
  Words of(const std::string& text) {
    Block block(text, named());
    EXPECT_EQ(block.mistake(), "");
    return in_force(turn_checks({}, {}, block.block));
  }
  std::map<std::string, Document, std::less<>> documents_;
};

TEST_F(Extends, MergesNamedBlocksBelowTheOwn) {
  name("safe", R"({"tools":{"forbid":["a"]},"timing":{"max_idle_ms":5}})");
  name("fast", R"({"timing":{"max_idle_ms":1}})");
  EXPECT_EQ(of(R"({"extends":["safe","fast"]})"), (Words{"tools.forbid no call of \"a\"", "timing.max_idle_ms at most 1 ms"}));
  EXPECT_EQ(of(R"({"timing":{"max_idle_ms":9},"tools":{"forbid":["b"]},"extends":["safe"]})"),
            (Words{"tools.forbid no call of \"a\"", "timing.max_idle_ms at most 9 ms", "tools.forbid no call of \"b\""}));
  EXPECT_EQ(of(R"({"extends":"safe","tools":{"forbid":false}})"), Words{"timing.max_idle_ms at most 5 ms"});
}

TEST_F(Extends, NamedBlocksMayExtendToo) {
  name("a", R"({"tools":{"forbid":["a"]}})");
  name("b", R"({"extends":["a"],"tools":{"forbid":["b"]}})");
  EXPECT_EQ(of(R"({"extends":["b"]})").size(), 2u);
}

TEST_F(Extends, Mistakes) {
  name("a", R"({"extends":["b"]})");
  name("b", R"({"extends":["a"]})");
  name("bad", R"({"tools":{"forbidd":[]}})");
  EXPECT_EQ(Block(R"({"extends":["nope"]})", named()).mistake(), "there is no block \"nope\" in the config's `assertions`");
  EXPECT_EQ(Block(R"({"extends":["nope"]})").errors.size(), 1u);
  EXPECT_EQ(Block(R"({"extends":["a"]})", named()).mistake(), "\"a\" extends itself");
  EXPECT_EQ(Block(R"({"extends":["bad","bad"]})", named()).errors.size(), 1u);
  EXPECT_NE(Block(R"({"extends":{"a":1}})", named()).mistake(), "");
  EXPECT_EQ(Block(R"({"extends":["${X}"]})", named()).mistake(), "");
}

TEST(Block, UnknownKeysAreMistakesWithAHint) {
  struct {
    const char* text;
    const char* hint;
  } const cases[] = {{R"({"tool":{}})", "did you mean tools?"},
                     {R"({"tools":{"forbit":[]}})", "did you mean forbid?"},
                     {R"({"text":{"must_mach":"x"}})", "did you mean must_match?"},
                     {R"({"text":{"final":{"must_mach":"x"}}})", "did you mean must_match?"},
                     {R"({"usage":{"max_token":1}})", "did you mean max_tokens?"},
                     {R"({"extend":[]})", "did you mean extends?"}};
  for (const auto& c : cases) {
    Block block(c.text);
    ASSERT_EQ(block.errors.size(), 1u) << c.text;
    EXPECT_EQ(block.errors[0].hint, c.hint) << c.text;
    EXPECT_GT(block.errors[0].place.column, 1);
  }
  EXPECT_NE(Block(R"({"tools.forbid":["a"]})").mistake(), "");
  EXPECT_EQ(Block(R"({"zzzzzz":1})").errors[0].hint, "known keys: extends, tools, timing, text, state, usage, protocol");
}

TEST(Block, AllMistakesAtOnce) {
  Block block(R"({"tools":{"forbid":5,"require":[{"name":"x","result_match":"("},{}]},"timing":{"max_idle_ms":"x"},"what":1})");
  EXPECT_EQ(block.errors.size(), 5u);
}

TEST(Block, ListsOfChecksComeLater) {
  EXPECT_EQ(Block(R"({"checks":[]})").mistake(), "lists of checks come with JSONL cases in a later version");
}

TEST(Block, EmptyAndDeferredBlocks) {
  for (const char* text : {"{}", "null", R"({"tools":{}})", R"({"tools":null})", R"("${X}")", R"({"tools":"${X}"})",
                           R"({"timing":{"max_idle_ms":"${X}"}})"}) {
    Block block(text);
    EXPECT_EQ(block.mistake(), "") << text;
    EXPECT_TRUE(block.block.entries.empty()) << text;
  }
  EXPECT_NE(Block("[]").mistake(), "");
  EXPECT_NE(Block(R"({"tools":[]})").mistake(), "");
  EXPECT_NE(Block(R"({"tools":true})").mistake(), "");
}

TEST(Block, AllChecksOfAScopeAreEvaluated) {
  auto results = test::results_of(R"({"tools":{"forbid":["a"]},"text":{"must_match":["x","y"]}})", turn_of({call("a")}));
  EXPECT_EQ(results.size(), 3u);
  for (const auto& result : results)
    EXPECT_FALSE(result.passed);
}

TEST(Block, ResultsKnowTheirTurn) {
  Transcript transcript = test::transcript_of({turn_of({}), turn_of({})});
  Block block(R"({"tools":{"forbid":["a"]}})");
  EXPECT_EQ(test::evaluate(turn_checks({}, {}, block.block), turn_scope(transcript, 1))[0].turn, 2);
  EXPECT_EQ(test::evaluate(test_checks({}, block.block), test_scope(transcript))[0].turn, 0);
}

TEST(Block, EveryKeyHasATypeAndHelp) {
  for (const auto& key : block_keys()) {
    EXPECT_FALSE(key.type.empty()) << key.name;
    EXPECT_FALSE(key.help.empty()) << key.name;
  }
}

}  // namespace
}  // namespace assay
