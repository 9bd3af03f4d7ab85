#include "load/tool_stubs.h"

#include <gtest/gtest.h>

#include "support/yaml.h"

namespace assay {
namespace {

using Kind = ToolStub::Kind;

std::vector<ToolStub> stubs(const std::string& text) {
  Document document = testing::yaml(text);
  Reader reader;
  auto out = read_tool_stubs(reader, document.root);
  EXPECT_EQ(testing::listed(reader.errors()), "") << text;
  return out;
}

std::string mistakes(const std::string& text) {
  Document document = testing::yaml(text);
  Reader reader;
  read_tool_stubs(reader, document.root);
  return testing::listed(reader.errors());
}

// The reply of the first rule that fits; null where none does.
Json reply_to(const ToolStub& stub, const char* arguments) {
  for (const auto& rule : stub.rules)
    if (rule.matches(Json::parse(arguments))) return rule.reply.error ? Json("error: " + *rule.reply.error) : rule.reply.value;
  return nullptr;
}

TEST(ToolStubs, NothingIsNoTool) {
  EXPECT_TRUE(stubs("null").empty());
  EXPECT_TRUE(stubs("[]").empty());
}

TEST(ToolStubs, WhatTheAgentIsTold) {
  auto list = stubs("- {name: a, description: Asks, parameters: {type: object}, delay_ms: 50, timeout_ms: 200, returns: 1}\n");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].name, "a");
  EXPECT_EQ(list[0].description, "Asks");
  EXPECT_EQ(to_compact(list[0].parameters), R"({"type":"object"})");
  EXPECT_EQ(list[0].delay, std::chrono::milliseconds(50));
  EXPECT_EQ(list[0].timeout, std::chrono::milliseconds(200));
}

TEST(ToolStubs, WaysToAnswer) {
  auto list = stubs(
      "- {name: a, returns: null}\n"
      "- {name: b, sequence: [1, {x: 2}]}\n"
      "- {name: c, error: no}\n"
      "- {name: d, cmd: [node, a.js]}\n"
      "- {name: e, unanswered: true}\n"
      "- {name: f}\n");
  ASSERT_EQ(list.size(), 6u);
  EXPECT_EQ(list[0].kind, Kind::kReplies);
  EXPECT_TRUE(list[0].replies.at(0).value.is_null());
  EXPECT_EQ(list[1].replies.size(), 2u);
  EXPECT_EQ(to_compact(list[1].replies.at(1).value), R"({"x":2})");
  EXPECT_EQ(list[2].replies.at(0).error, "no");
  EXPECT_EQ(list[2].replies.at(0).value, "no");  // an agent that reads only the content sees it too
  EXPECT_EQ(list[3].kind, Kind::kCommand);
  EXPECT_EQ(list[3].cmd, (std::vector<std::string>{"node", "a.js"}));
  EXPECT_EQ(list[4].kind, Kind::kUnanswered);
  EXPECT_EQ(list[5].kind, Kind::kUnanswered);
}

TEST(ToolStubs, TheFirstEntryThatFits) {
  auto list = stubs(
      "- name: a\n"
      "  returns: rest\n"
      "  match:\n"
      "    - {args: {total: {gt: 100}, to: {regex: '^b'}}, error: too much}\n"
      "    - {args: {total: {gt: 100}}, returns: {ok: false}}\n");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].kind, Kind::kMatch);
  EXPECT_EQ(reply_to(list[0], R"({"total":200,"to":"bob"})"), "error: too much");
  EXPECT_EQ(to_compact(reply_to(list[0], R"({"total":200,"to":"al"})")), R"({"ok":false})");
  EXPECT_EQ(to_compact(reply_to(list[0], R"({"total":200})")), R"({"ok":false})");
  EXPECT_TRUE(reply_to(list[0], R"({"total":1})").is_null());
  EXPECT_TRUE(reply_to(list[0], "null").is_null());  // arguments that were not JSON
  EXPECT_EQ(list[0].replies.at(0).value, "rest");
}

TEST(ToolStubs, AnEntryWithoutArgsFitsEverything) {
  auto list = stubs("- {name: a, match: [{args: {n: 1}, returns: one}, {returns: any}]}\n");
  EXPECT_EQ(reply_to(list[0], R"({"n":1})"), "one");
  EXPECT_EQ(reply_to(list[0], "null"), "any");
}

TEST(ToolStubs, OneWayOnly) {
  EXPECT_EQ(mistakes("- {name: a, returns: 1, cmd: [x]}"), "1:3 a tool answers in one way, not by returns and cmd\n");
  EXPECT_EQ(mistakes("- {name: a, match: [{returns: 1}], returns: 1, error: x}"),
            "1:3 a tool answers in one way, not by returns and match and error\n");
  EXPECT_EQ(mistakes("- {name: a, match: [{returns: 1}], error: x}"), "");
  EXPECT_EQ(mistakes("- {name: a, match: [{returns: 1, error: x}]}"), "1:21 an entry of `match` needs `returns` or `error`\n");
}

TEST(ToolStubs, Unmocked) {
  for (auto [word, meaning] :
       {std::pair("ignore", Unmocked::kIgnore), {"fail", Unmocked::kFail}, {"answer", Unmocked::kAnswer}}) {
    Document document = testing::yaml(word);
    Reader reader;
    EXPECT_EQ(read_unmocked(reader, document.root), meaning);
  }
}

}  // namespace
}  // namespace assay
