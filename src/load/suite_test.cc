#include "load/suite.h"

#include <gtest/gtest.h>

#include "support/project.h"

namespace assay {
namespace {

using testing::kTarget;
using testing::pointed;
using testing::Project;
using HookList = Suite::HookList;

class SuiteTest : public ::testing::Test {
 protected:
  SuiteTest() { p.config(kTarget); }
  const Case& only() { return p.suite->cases().at(0); }

  Project p;
};

TEST_F(SuiteTest, ReadsAWholeTest) {
  p.test(
      "version: \"1.0\"\nname: checkout flow\nid: checkout\ntags: [smoke, pay]\nskip: later\ntimeout: 90s\nvars: {N: 3}\n"
      "hooks:\n  - cmd: [bash, seed.sh]\n    timeout_ms: 100\n    env: {CART: \"${N}\"}\nteardown:\n  - cmd: [rm, x]\n"
      "turns:\n  - user: hello ${N}\n    name: first\n    timeout_ms: 5000\n  - user: [{type: text, text: hi}]\n");
  ASSERT_EQ(p.load(), "");
  const Case& c = only();
  EXPECT_EQ(c.id, "checkout");
  EXPECT_EQ(c.name, "checkout flow");
  EXPECT_EQ(c.skip, "later");
  EXPECT_EQ(c.tags, (std::vector<std::string>{"smoke", "pay"}));
  EXPECT_EQ(c.timeout, std::chrono::seconds(90));
  EXPECT_EQ(c.plan->hooks[0].timeout, std::chrono::milliseconds(100));
  EXPECT_EQ(c.plan->hooks[0].env[0], (std::pair<std::string, std::string>("CART", "3")));
  EXPECT_EQ(c.plan->teardown[0].cmd[1], "x");
  EXPECT_EQ(c.plan->turns[0].input, Json("hello 3"));
  EXPECT_EQ(c.plan->turns[0].timeout, std::chrono::seconds(5));
  EXPECT_TRUE(c.plan->turns[1].input.is_array());
  EXPECT_EQ(c.plan->agent.endpoint, "http://h/x");
}

TEST_F(SuiteTest, IdsAndFilesAreRelativeToTheConfig) {
  p.file("sub/deep/b.test.yml", "name: b\nturns: [{user: x}]\n");
  p.file("sub/other.yaml", "name: c\nturns: [{user: x}]\n");
  p.env.cwd = p.dir / "sub";
  ASSERT_EQ(p.load({"sub/deep/b.test.yml", "sub/other.yaml"}), "");
  EXPECT_EQ(only().id, "sub/deep/b");
  EXPECT_EQ(only().file, "sub/deep/b.test.yml");
  EXPECT_EQ(only().directory, p.dir.path());
  EXPECT_EQ(p.suite->cases()[1].id, "sub/other");
  EXPECT_EQ(p.suite->cases()[1].index, 1u);
}

TEST_F(SuiteTest, WithoutAConfigHooksRunBesideTheTest) {
  std::filesystem::remove(p.dir / "assay.config.yaml");
  p.file("sub/a.test.yaml", "name: a\nturns: [{user: x}]\n");
  EXPECT_EQ(p.load({"sub/a.test.yaml"}), "sub/a.test.yaml:1:1 no config was found, so there is no agent to test\n");
}

TEST_F(SuiteTest, UnknownKeysAtEveryLevel) {
  p.config(
      "target:\n  endpont: x\n  headrs: {}\n  assert: {tols: {}}\nassertions: {safe: {tools: {forbit: [a]}}}\n"
      "agents: {unused: {endpoint: \"http://h\", histori: full}}\n");
  p.test(
      "nmae: x\nturns:\n  - usr: hi\n    assert: {text: {must_mach: a}}\nhooks:\n  - cdm: [x]\nteardown:\n  - cmd: [x]\n"
      "    timeout: 5\nassert: {timing: {max_idle: 5}}\n");
  EXPECT_EQ(p.load(),
            "assay.config.yaml:2:3 unknown key \"endpont\" in the agent\n"
            "assay.config.yaml:3:3 unknown key \"headrs\" in the agent\n"
            "assay.config.yaml:2:3 the agent needs `endpoint`\n"
            "assay.config.yaml:4:12 unknown key \"tols\" in assert\n"
            "assay.config.yaml:6:41 unknown key \"histori\" in the agent\n"
            "assay.config.yaml:5:29 unknown key \"forbit\" in `tools`\n"
            "a.test.yaml:1:1 unknown key \"nmae\" in the test\n"
            "a.test.yaml:1:1 the test needs `name`\n"
            "a.test.yaml:6:5 unknown key \"cdm\" in a hook\n"
            "a.test.yaml:6:5 a hook needs `cmd`\n"
            "a.test.yaml:9:5 unknown key \"timeout\" in a hook\n"
            "a.test.yaml:3:5 unknown key \"usr\" in a turn\n"
            "a.test.yaml:3:5 a turn needs `user`\n"
            "a.test.yaml:4:21 unknown key \"must_mach\" in `text`\n"
            "a.test.yaml:10:19 unknown key \"max_idle\" in `timing`\n");
  for (const auto& error : p.errors)
    EXPECT_EQ(error.message.starts_with("unknown key"), error.hint.starts_with("did you mean ")) << error.message;
}

TEST_F(SuiteTest, EveryMistakeOfEveryFileOnce) {
  p.config("target: {endpont: x}\n");
  p.file("b.test.yaml", "name: [1]\nturns: []\n");
  p.file("c.test.yaml", "a: 1\na: 2\n");
  p.file("d.test.yaml", "name: d\nturns: [{user: x}]\n");
  EXPECT_EQ(p.load({"b.test.yaml", "c.test.yaml", "d.test.yaml", "missing.yaml"}),
            "assay.config.yaml:1:10 unknown key \"endpont\" in the agent\n"
            "assay.config.yaml:1:9 the agent needs `endpoint`\n"
            "b.test.yaml:1:7 `name` must be text, not a list\n"
            "b.test.yaml:2:8 a test needs at least one turn\n"
            "c.test.yaml:2:1 \"a\" is given twice\n"
            "missing.yaml:0:0 cannot read the file: No such file or directory\n");
}

TEST_F(SuiteTest, WhatATestNeeds) {
  for (auto [text, message] :
       {std::pair{"turns: [{user: x}]\n", "the test needs `name`"},
        {"name: x\n", "a test needs at least one turn"},
        {"name: x\nturns:\n", "a test needs at least one turn"},
        {"name: x\nturns: {}\n", "`turns` must be a list, not a map"},
        {"name: \"\"\nturns: [{user: x}]\n", "`name` is empty"},
        {"- a\n", "the test must be a map, not a list"},
        {"name: x\nturns: [hello]\n", "a turn must be a map, not text"},
        {"name: x\nturns: [{}]\n", "a turn needs `user`"},
        {"name: x\nturns: [{user: }]\n", "`user` must be text, not nothing"},
        {"name: x\nturns: [{user: [{text: a}]}]\n", "a content part needs `type`"},
        {"name: x\nturns: [{user: a, timeout_ms: 0}]\n", "`timeout_ms` must be a number of milliseconds above zero"},
        {"name: x\nturns: [{user: a}]\nhooks: [{cmd: ls}]\n",
         "`cmd` must be a list: the program and its arguments (no shell is used)"},
        {"name: x\nturns: [{user: a}]\nhooks: [{cmd: []}]\n", "`cmd` is empty"},
        {"name: x\nturns: [{user: a}]\nhooks: {cmd: [a]}\n", "`hooks` must be a list, not a map"},
        {"name: x\nturns: [{user: a}]\ntimeout: 0s\n", "`timeout` must be above zero"},
        {"name: x\nturns: [{type: connect}]\n", "`type` cannot be \"connect\""}}) {
    p.test(text);
    p.load();
    ASSERT_FALSE(p.errors.empty()) << text;
    EXPECT_EQ(p.errors[0].message, message) << text;
  }
}

TEST_F(SuiteTest, Durations) {
  p.test("name: x\nturns: [{user: a}]\ntimeout: 90\n");
  p.load();
  EXPECT_NE(p.errors[0].message.find("it has no unit"), std::string::npos) << p.errors[0].message;
  EXPECT_EQ(pointed(p.errors[0].place), "90");
  p.test("name: x\nturns: [{user: a}]\ntimeout: 2m30s\n");
  ASSERT_EQ(p.load(), "");
  EXPECT_EQ(only().timeout, std::chrono::seconds(150));
}

TEST_F(SuiteTest, Skip) {
  auto skip = [&](const std::string& value) {
    p.test("name: x\nturns: [{user: a}]\nskip: " + value + "\n");
    EXPECT_EQ(p.load(), "");
    return only().skip;
  };
  EXPECT_EQ(skip("false"), "");
  EXPECT_EQ(skip("true"), "skipped by the test file");
  EXPECT_EQ(skip("needs the new API"), "needs the new API");
}

TEST_F(SuiteTest, AgentsByTheirId) {
  p.config("target: {endpoint: \"http://h/x\"}\nagents: {shop: {endpoint: \"http://h/shop\"}}\n");
  p.test("name: x\nagent: shop\nturns: [{user: a}]\n");
  ASSERT_EQ(p.load(), "");
  EXPECT_EQ(only().plan->agent.endpoint, "http://h/shop");
  EXPECT_EQ(only().plan->agent.id, "shop");
  p.test("name: x\nagent: shoop\nturns: [{user: a}]\n");
  EXPECT_EQ(p.load(), "a.test.yaml:2:8 unknown agent \"shoop\"\n");
  EXPECT_EQ(p.hint(), "did you mean shop?");
  p.config("agents: {shop: {endpoint: \"http://h/shop\"}}\n");
  p.test("name: x\nturns: [{user: a}]\n");
  EXPECT_EQ(p.load(), "a.test.yaml:1:1 there is no agent to test: the config has no `target`\n");
}

TEST_F(SuiteTest, Endpoints) {
  for (auto [url, good] : {std::pair{"http://h", true},
                           {"https://h:8/x?y=1", true},
                           {"http://[::1]:80/", true},
                           {"HTTP://h/", true},
                           {"ftp://h", false},
                           {"h/x", false},
                           {"http://", false},
                           {"http:///x", false},
                           {"\"http://h/a b\"", false},
                           {"\"http://h/\\n\"", false},
                           {"[]", false},
                           {"\"\"", false}}) {
    p.config("target: {endpoint: " + (url[0] == '"' || url[0] == '[' ? std::string(url) : "\"" + std::string(url) + "\"") +
             "}\n");
    p.test("name: x\nturns: [{user: a}]\n");
    EXPECT_EQ(p.load().empty(), good) << url;
  }
}

TEST_F(SuiteTest, Headers) {
  p.test("name: x\nturns: [{user: a}]\n");
  p.config(
      "target:\n  endpoint: \"http://h\"\n  headers: {\"a b\": x, \"c:\": x, \"\": x, X: \"a\\r\\nEvil: 1\", Y: [1], Z: 1.0, "
      "\"ü\": x}\n");
  EXPECT_EQ(p.load(),
            "assay.config.yaml:3:14 \"a b\" is no header name\nassay.config.yaml:3:24 \"c:\" is no header name\n"
            "assay.config.yaml:3:33 \"\" is no header name\nassay.config.yaml:3:43 header X holds a line break\n"
            "assay.config.yaml:3:61 header Y must be text, not a list\nassay.config.yaml:3:75 \"ü\" is no header name\n");
}

TEST_F(SuiteTest, HeadersThatAreSecret) {
  p.config(
      "target:\n  endpoint: \"http://h\"\n  headers: {Authorization: Bearer abcdefgh1, X-Api-Key: key-value-1, Cookie: "
      "a=cookie-1,"
      " X-Plain: not-secret}\n");
  p.test("name: x\nturns: [{user: a}]\n");
  ASSERT_EQ(p.load(), "");
  EXPECT_EQ(p.secrets.apply("abcdefgh1 key-value-1 a=cookie-1 not-secret"), "*** *** *** not-secret");
}

TEST_F(SuiteTest, Extends) {
  p.config(std::string(kTarget) +
           "assertions:\n  safe: {tools: {forbid: [rm]}}\n  fast: {extends: safe, timing: {max_idle_ms: \"${MS:-5}\"}}\n");
  p.test("name: x\nturns: [{user: a, assert: {extends: [fast]}}]\n");
  ASSERT_EQ(p.load(), "");
  ASSERT_EQ(only().plan->turns[0].checks.entries.size(), 2u);
  p.test("name: x\nturns: [{user: a, assert: {extends: [fsat]}}]\n");
  EXPECT_EQ(p.load(), "a.test.yaml:2:38 there is no block \"fsat\" in the config's `assertions`\n");
}

TEST_F(SuiteTest, PlansWaitForHooks) {
  p.config("target:\n  endpoint: \"${URL}/x\"\n  headers: {X-Id: \"${ID}\"}\n");
  p.test(
      "name: x\nhooks: [{cmd: [seed]}]\nturns:\n  - user: cart ${ID}\n    assert:\n      text: {must_match: \"^${WORD}$\"}\n"
      "      tools: {require: [{name: pay, count: {exact: \"${N}\"}}]}\n");
  ASSERT_EQ(p.load(), "");
  EXPECT_TRUE(only().deferred);
  auto plan = p.plan({{"URL", "http://h"}, {"ID", 7}, {"WORD", "yes"}, {"N", 2}});
  ASSERT_TRUE(plan) << p.shown;
  EXPECT_EQ(plan->agent.endpoint, "http://h/x");
  EXPECT_EQ(plan->agent.headers[0].second, "7");
  EXPECT_EQ(plan->turns[0].input, Json("cart 7"));
  EXPECT_EQ(plan->turns[0].checks.entries.size(), 2u);
}

TEST_F(SuiteTest, MistakesFoundWhenACaseStarts) {
  p.test("name: x\nhooks: [{cmd: [seed]}]\nturns:\n  - user: a ${MISSING}\n    assert: {text: {must_match: \"${WORD}\"}}\n");
  ASSERT_EQ(p.load(), "");
  EXPECT_FALSE(p.plan({{"WORD", "(open"}}));
  EXPECT_TRUE(p.shown.starts_with("a.test.yaml:4:13 unknown variable MISSING\na.test.yaml:5:")) << p.shown;
  EXPECT_NE(p.shown.find("(open"), std::string::npos) << p.shown;
}

TEST_F(SuiteTest, WithoutVariablesAPlanIsReady) {
  p.test("name: x\nhooks: [{cmd: [seed]}]\nturns: [{user: a}]\n");
  ASSERT_EQ(p.load(), "");
  EXPECT_FALSE(only().deferred);
  EXPECT_EQ(p.plan(), only().plan);
}

TEST_F(SuiteTest, AHookMayChangeAVariable) {
  p.test("name: x\nvars: {A: old}\nhooks: [{cmd: [seed]}]\nturns: [{user: \"${A}\"}]\n");
  ASSERT_EQ(p.load(), "");
  EXPECT_EQ(p.plan({{"A", "new"}})->turns[0].input, Json("new"));
}

TEST_F(SuiteTest, VariablesOfAHookReachTheNext) {
  p.test("name: x\nhooks: [{cmd: [one]}, {cmd: [two, \"${ID}\"]}]\nteardown: [{cmd: [end, \"${ID}\"]}]\nturns: [{user: a}]\n");
  ASSERT_EQ(p.load(), "");
  EXPECT_EQ(p.suite->hook_count(only(), HookList::kHooks), 2u);
  EXPECT_EQ(p.suite->hook(only(), HookList::kHooks, 0, {})->cmd[0], "one");
  EXPECT_EQ(p.suite->hook(only(), HookList::kHooks, 1, {{"ID", 5}})->cmd[1], "5");
  EXPECT_EQ(p.suite->hook(only(), HookList::kTeardown, 0, {{"ID", 5}})->cmd[1], "5");
  auto unknown = p.suite->hook(only(), HookList::kHooks, 1, {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error()[0].message, "unknown variable ID");
}

TEST_F(SuiteTest, CommandLineBeatsTestBeatsConfig) {
  p.config(std::string(kTarget) + "vars: {A: config, B: config, C: config}\n");
  p.test("name: x\nvars: {B: test, C: test}\nturns: [{user: \"${A} ${B} ${C}\"}]\n");
  p.variables["C"] = "line";
  ASSERT_EQ(p.load(), "");
  EXPECT_EQ(only().plan->turns[0].input, Json("config test line"));
}

TEST_F(SuiteTest, VarsMayNameOtherVariables) {
  p.config(std::string(kTarget) + "vars: {HOST: h, URL: \"http://${HOST}:${PORT}\", TYPED: [1]}\n");
  p.test("name: x\nvars: {DEEP: \"${URL}/d\", COPY: \"${TYPED}\"}\nturns: [{user: \"${DEEP} ${COPY}\"}]\n");
  p.variables["PORT"] = "81";
  ASSERT_EQ(p.load(), "");
  EXPECT_EQ(only().plan->turns[0].input, Json("http://h:81/d [1]"));
}

TEST_F(SuiteTest, VarsMayWaitForAHook) {
  p.config(std::string(kTarget) + "vars: {URL: \"http://${HOST}\"}\n");
  p.test("name: x\nvars: {GREETING: \"hello ${WHO}\"}\nhooks: [{cmd: [a]}]\nturns: [{user: \"${GREETING} ${URL}\"}]\n");
  ASSERT_EQ(p.load(), "");
  auto plan = p.plan({{"WHO", "you"}, {"HOST", "h"}});
  ASSERT_TRUE(plan) << p.shown;
  EXPECT_EQ(plan->turns[0].input, Json("hello you http://h"));
  EXPECT_FALSE(p.plan({{"WHO", "you"}}));
  EXPECT_TRUE(p.shown.starts_with("assay.config.yaml:2:21 unknown variable HOST\n")) << p.shown;
}

TEST_F(SuiteTest, AnUnknownVariableInVarsIsFoundWhenTheCaseStarts) {
  p.test("name: x\nvars: {A: \"${NOPE}\"}\nturns: [{user: a}]\n");
  ASSERT_EQ(p.load(), "");
  EXPECT_FALSE(p.plan());
  EXPECT_EQ(p.shown, "a.test.yaml:2:12 unknown variable NOPE\n");
}

TEST_F(SuiteTest, JsonlIsRefusedForNow) {
  p.file("a.jsonl", "{}\n");
  EXPECT_EQ(p.load({"a.jsonl"}), "a.jsonl:0:0 JSONL cases are not supported yet by assay " ASSAY_VERSION "\n");
}

TEST_F(SuiteTest, ALargeSuiteLoadsFast) {
  std::string turns = "name: x\nturns:\n";
  for (int i = 0; i < 3000; ++i)
    turns += "  - user: hello\n    assert: {text: {must_match: a}}\n";
  p.test(turns);
  auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(p.load(), "");
  EXPECT_EQ(only().plan->turns.size(), 3000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(6));
}

}  // namespace
}  // namespace assay
