#include <gtest/gtest.h>
#include <signal.h>

#include "support/cli.h"

namespace assay {
namespace {

using testing::Cli;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

constexpr std::string_view kGood =
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"
    "data: {\"type\":\"TOOL_CALL_CHUNK\",\"toolCallId\":\"c\",\"toolCallName\":\"pay\",\"delta\":\"{\\\"total\\\":2}\"}\n\n"
    "data: {\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"r1\",\"toolCallId\":\"c\",\"content\":\"{\\\"ok\\\":true}\"}\n\n"
    "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"Paid.\"}\n\n"
    "data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{\"paid\":true}}\n\n"
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
constexpr std::string_view kBad =
    "{\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n"
    "{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\\u001b\",\"delta\":\"\\u001b[31mred\"}\n"
    "{\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\",\"extra\":1}\n";

TEST(ConformFile, TellsWhatAStreamHolds) {
  Cli cli;
  cli.file("a.sse", kGood);
  EXPECT_EQ(cli.run({"conform", "a.sse"}), 0) << cli.err();
  EXPECT_EQ(cli.out(),
            "PASS a.sse: 6 events, success\n"
            "  call: pay {\"total\":2} → {\"ok\":true}\n"
            "  text: Paid.\n"
            "  state: {\"paid\":true}\n"
            "\nno rule was broken\n");
  EXPECT_EQ(cli.run({"conform", "--json", "a.sse"}), 0);
  EXPECT_EQ(cli.out(),
            R"({"events":6,"outcome":"success","text":"Paid.","tool_calls":[{"id":"c","name":"pay","arguments":{"total":2},)"
            R"("result":{"ok":true}}],"state":{"paid":true},"violations":[]})"
            "\n");
}

TEST(ConformFile, TellsWhatIsWrongAndIsSafeForTerminals) {
  Cli cli;
  cli.file("b.jsonl", kBad);
  EXPECT_EQ(cli.run({"conform", "b.jsonl"}), 1);
  EXPECT_TRUE(has(cli.out(), "FAIL b.jsonl: 3 events, success\n  text: \\x1b[31mred\n")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "  error text-content-unopened at event 1: ")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "  warning unknown-field at event 2: ")) << cli.out();
  EXPECT_TRUE(has(cli.out(), "rules broken:\n    1  error    text-content-unopened    TEXT_MESSAGE_CONTENT for a message"))
      << cli.out();
  EXPECT_FALSE(has(cli.out(), "\x1b"));
  EXPECT_EQ(cli.run({"conform", "b.jsonl", "--json"}), 1);
  Json first = cli.json()["violations"][0];
  EXPECT_EQ(first["rule"], Json("text-content-unopened"));
  EXPECT_EQ(first["severity"], Json("error"));
  EXPECT_EQ(first["event"], Json(1));
  EXPECT_EQ(first.size(), 4u);
}

TEST(ConformFile, TheFormIsTakenFromTheNameUnlessItIsSaid) {
  Cli cli;
  cli.file("b.log", kBad);
  EXPECT_EQ(cli.run({"conform", "b.log"}), 1);
  EXPECT_TRUE(has(cli.out(), "0 events, empty")) << cli.out();
  EXPECT_EQ(cli.run({"conform", "b.log", "--format", "jsonl"}), 1);
  EXPECT_TRUE(has(cli.out(), "3 events, success")) << cli.out();
  EXPECT_EQ(cli.run({"conform", "b.log", "--format", "xml"}), 2);
  EXPECT_EQ(cli.err(), "error: --format: \"xml\" is not sse or jsonl\n");
}

TEST(ConformFile, WarningsDoNotFail) {
  Cli cli;
  cli.file("w.sse", std::string(kGood.substr(0, kGood.size() - 1)));
  EXPECT_EQ(cli.run({"conform", "w.sse"}), 0);
  EXPECT_TRUE(cli.out().starts_with("WARN w.sse: 6 events, success\n")) << cli.out();
}

TEST(ConformFile, StandardInput) {
  Cli cli;
  int pipe[2];
  ASSERT_EQ(pipe2(pipe, O_CLOEXEC), 0);
  ASSERT_EQ(::write(pipe[1], kGood.data(), kGood.size()), static_cast<ssize_t>(kGood.size()));
  cli.input_fd = pipe[0];
  cli.interrupt(SIGINT);  // somebody is tired of waiting for more
  EXPECT_EQ(cli.run({"conform", "-"}), 130);
  ::close(pipe[1]);
  EXPECT_EQ(cli.run({"conform", "-"}), 0) << cli.err();
  EXPECT_TRUE(cli.out().starts_with("PASS standard input: 6 events, success\n")) << cli.out();
  ::close(pipe[0]);
}

TEST(ConformFile, WhatCannotBeRead) {
  Cli cli;
  EXPECT_EQ(cli.run({"conform", "localhost:8000/agent"}), 2);
  EXPECT_EQ(cli.err(),
            "error: cannot read localhost:8000/agent: No such file or directory\n"
            "  hint: a URL begins with http:// or https://\n");
  EXPECT_EQ(cli.run({"conform", ".", "--json"}), 2);
  EXPECT_TRUE(has(cli.json()["error"].get<std::string>(), "cannot read .: Is a directory")) << cli.out();
  EXPECT_EQ(cli.run({"conform", "-"}), 2);
  EXPECT_EQ(cli.run({"conform"}), 2);
  EXPECT_EQ(cli.run({"conform", "a", "b"}), 2);
}

TEST(Conform, Rules) {
  Cli cli;
  EXPECT_EQ(cli.run({"conform", "--rules"}), 0);
  EXPECT_TRUE(has(cli.out(), "error    first-event              the first event is neither RUN_STARTED nor RUN_ERROR (R3)\n"))
      << cli.out();
  EXPECT_EQ(cli.run({"conform", "--rules", "--json"}), 0);
  EXPECT_EQ(cli.json()[0]["rule"], Json("not-json"));
}

}  // namespace
}  // namespace assay
