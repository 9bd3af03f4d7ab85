#include "serve/plan.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "support/serve_support.h"

namespace assay {
namespace {

std::string mistakes(std::string_view json_text) {
  Reader reader;
  read_serve_plan(reader, test::node_from(json_text));
  std::vector<std::string> out;
  for (const auto& error : reader.errors())
    out.push_back(error.message);
  return join(out, "\n");
}

std::string rule_mistakes(std::string_view rule) { return mistakes(R"({"agents":{"a":{"rules":[)" + std::string(rule) + "]}}}"); }

TEST(ServePlan, ReadsEveryKind) {
  auto plan = test::plan_from(R"({"agents": {"shop": {"rules": [
    {"when": {"message": "/BUY/i", "turn": 1, "tool_result": "ok", "after_tools": ["x"]}, "times": 2, "delay_ms": 3, "crlf": true,
     "autorun": false, "repeat": 4,
     "steps": [{"text": "Hello", "chunk": 4, "delay_ms": 5, "form": "chunk"}, {"wait_ms": 0},
               {"tool": {"name": "n", "args": {"a": 1}, "result": null, "delay_ms": 20, "form": "chunk", "args_chunk": 2, "id": "c"}}]},
    {"http": {"status": 503, "headers": {"Retry-After": 1}, "body": {"a": 1}}}]}}})");
  const AgentScript* shop = plan->find("shop");
  ASSERT_TRUE(shop);
  const Rule& rule = shop->rules[0];
  EXPECT_TRUE(rule.when.message->search("i buy it") == Pattern::Match::kYes);
  EXPECT_EQ(rule.times, 2);
  EXPECT_EQ(rule.repeat, 4);
  EXPECT_FALSE(rule.autorun);
  EXPECT_EQ(rule.wire.newline, "\r\n");
  EXPECT_EQ(rule.delay, from_ms(3));
  EXPECT_EQ(std::get<TextStep>(rule.steps[0]).chunk, 4u);
  EXPECT_TRUE(std::get<ToolStep>(rule.steps[2]).result);
  EXPECT_EQ(shop->rules[1].http->status, 503);
  EXPECT_EQ(shop->rules[1].http->content_type, "application/json");
  EXPECT_FALSE(plan->find("other"));
}

TEST(ServePlan, NotesAllMistakes) {
  EXPECT_EQ(rule_mistakes(R"({"steps": [{"txt": "a"}, {"text": "a", "tool": {"name": "n"}}, {"wait_ms": -1}, {}, "x",
                                        {"state": {}, "chunk": 1}, {"tool": {}}, {"fault": "boom"}]})"),
            "unknown key \"txt\" in a step\n"
            "a step says nothing\n"
            "`text` and `tool` are two steps\n"
            "`wait_ms` must be zero or more\n"
            "a step says nothing\n"
            "a step must be a map, not text\n"
            "`chunk` goes with `text`, `reasoning` and `thinking` only\n"
            "a tool call needs `name`\n"
            "`fault` cannot be \"boom\"");
}

TEST(ServePlan, RulesAndAgentsAreChecked) {
  EXPECT_EQ(mistakes("{}"), "a serve file needs `agents`");
  EXPECT_EQ(mistakes(R"({"agents": {}})"), "`agents` is empty");
  EXPECT_EQ(mistakes(R"({"agents": {"a/b": {}}})"),
            "an agent's name is part of a URL: not empty, no slash\nan agent needs `rules`");
  EXPECT_EQ(rule_mistakes("{}"), "a rule needs `steps`, `http` or `redirect`");
  EXPECT_EQ(rule_mistakes(R"({"steps": [], "http": {}})"), "`steps` and `http` exclude each other");
  EXPECT_EQ(rule_mistakes(R"({"when": {"message": "("}, "steps": []})"),
            "`message`: bad pattern \"(\": missing closing parenthesis");
  EXPECT_EQ(rule_mistakes(R"({"steps": [{"fault": "html"}, {"text": "x"}]})"), "`fault: html` is the whole answer");
  EXPECT_EQ(rule_mistakes(R"({"http": {"status": 99, "headers": {"A": "b\r\nc"}}})"),
            "`status` must be a whole number, from 200 to 599\na header is one line of text");
  EXPECT_EQ(rule_mistakes(R"({"steps": [{"tool": {"name": "n", "args": {}, "args_text": "x"}}, {"event": {"a": 1}}]})"),
            "`args` and `args_text` exclude each other\n`event` needs `type`");
}

TEST(ServePlan, NewStepsAreChecked) {
  EXPECT_EQ(
      rule_mistakes(
          R"({"steps": [{"interrupt": {"id": "a"}}, {"interrupt": []}, {"interrupt": [{"id": "a", "reason": "b", "msg": 1}]},
                                        {"outcome": "canceled"}, {"activity": {"type": "P"}}, {"activity": "x"},
                                        {"subagent": {"id": 1, "nam": "x"}}, {"subagent_end": [1]},
                                        {"thinking": "x", "form": "chunk"}, {"text": "x", "form": "snapshots"},
                                        {"tool": {"name": "n", "result": 1, "result_parts": "x"}}]})"),
      "`interrupt` needs `reason`\n"
      "`interrupt` is empty\n"
      "unknown key \"msg\" in `interrupt`\n"
      "`outcome` cannot be \"canceled\"\n"
      "`activity` needs `content`\n"
      "`activity` must be a map, not text\n"
      "`subagent` needs `name`\n"
      "unknown key \"nam\" in `subagent`\n"
      "`subagent_end` must be a map, not a list\n"
      "`thinking` has one form only: explicit\n"
      "`form` cannot be \"snapshots\"\n"
      "`result_parts` must be a list, not text\n"
      "`result` and `result_parts` exclude each other");
  EXPECT_EQ(
      rule_mistakes(R"({"steps": [], "when": {"resume": {"state": "x"}, "state": [], "has_tool": {}, "command_resume": "("}})"),
      "unknown key \"state\" in `resume`\n"
      "`state` must be a map, not a list\n"
      "`has_tool` must be text, not a map\n"
      "`command_resume`: bad pattern \"(\": missing closing parenthesis");
}

TEST(ServePlan, TemplatesReplaceWhatTheyKnow) {
  TemplateValues values{"say \"hi\"", "2", "t", "r"};
  EXPECT_EQ(Template("{{message}} {{turn}}{{threadId}}{{runId}} {{other}} {{{turn}}}").expand(values),
            "say \"hi\" 2tr {{other}} {2}");
  EXPECT_EQ(Template(R"({"a":"{{message}}"})", Template::Escape::kJson).expand(values), R"({"a":"say \"hi\""})");
}

}  // namespace
}  // namespace assay
