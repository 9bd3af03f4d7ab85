#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <regex>

#include "base/text.h"
#include "model/conformance_rules.h"
#include "support/cli.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::Cli;

// What stands between fences in a page.
struct Block {
  std::string place;   // "README.md:44"
  std::string kind;    // behind the opening fence: yaml, text, …
  std::string marker;  // the comment on the line before it: "scenario NAME", "file NAME/FILE"
  std::string text;
};

std::vector<Block> blocks_of(const fs::path& page) {
  std::vector<Block> out;
  bool inside = false;
  int number = 0;
  std::string before;
  for (const auto& line : split(testing::read_file(page.string()), '\n')) {
    ++number;
    bool fence = line.starts_with("```");
    bool marked = before.starts_with("<!-- ") && before.ends_with(" -->");
    if (fence && !inside)
      out.push_back({page.filename().string() + ":" + std::to_string(number), line.substr(3),
                     marked ? before.substr(5, before.size() - 9) : "", ""});
    else if (inside && !fence)
      out.back().text += line + "\n";
    inside = inside != fence;
    before = line;
  }
  return out;
}

std::vector<Block> all_blocks() {
  fs::path root = ASSAY_SOURCE_DIR;
  std::vector<Block> out = blocks_of(root / "README.md");
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md")
      for (auto& block : blocks_of(entry.path()))
        out.push_back(std::move(block));
  return out;
}

std::string scenario_file(const std::string& path) {
  return testing::read_file((fs::path(ASSAY_SOURCE_DIR) / "tests/scenarios" / path).string());
}

bool has_key(const std::string& text, const std::string& key) {
  return ("\n" + text).find("\n" + key + ":") != std::string::npos;
}

void expect_loads(const Block& block) {
  const std::string& text = block.text;
  Cli cli;
  cli.variables["AGUI_TOKEN"] = "a-token";
  if (text.find("    rules:") != std::string::npos) {
    cli.file("agents.yaml", text);
    cli.interrupt(SIGINT);
    EXPECT_EQ(cli.run({"serve", "agents.yaml"}), 0) << block.place << "\n" << cli.err();
    return;
  }
  bool is_test = has_key(text, "turns");
  std::string target = "target: {endpoint: \"http://h/x\", agentId: a}\n";  // fit for `agui:connect` too
  cli.file("assay.config.yaml", is_test ? target : text);
  cli.file("a.test.yaml", is_test ? text : "name: x\nturns: [{user: hi}]\n");
  EXPECT_EQ(cli.run({"run", "--dry-run"}), 0) << block.place << "\n" << cli.err();
}

// An example in YAML is a whole file; grammars have a bare fence.
TEST(Docs, ExamplesLoad) {
  int found = 0;
  for (const auto& block : all_blocks())
    if (block.kind == "yaml") expect_loads(block), ++found;
  EXPECT_GE(found, 10);
}

// Output behind <!-- scenario NAME --> is what that scenario expects, times aside. A file behind <!-- file NAME/FILE --> is
// that file of the scenario.
TEST(Docs, WhatIsShownIsWhatTheScenariosRun) {
  static const std::regex times("\\b[0-9.]+(ms|s)\\b");
  int outputs = 0;
  int files = 0;
  for (const auto& block : all_blocks()) {
    if (block.marker.starts_with("scenario ")) {
      EXPECT_EQ(std::regex_replace(block.text, times, "<time>"), scenario_file(block.marker.substr(9) + "/stdout"))
          << block.place;
      ++outputs;
    }
    if (block.marker.starts_with("file ")) {
      EXPECT_EQ(block.text, scenario_file(block.marker.substr(5))) << block.place;
      ++files;
    }
  }
  EXPECT_GE(outputs, 6);
  EXPECT_GE(files, 10);
}

TEST(Docs, TheTableOfRulesIsTheCatalogue) {
  std::string table;
  for (const auto& rule : conformance_rules())
    table += fmt::format("| `{}` | {} | {} | {} |\n", rule.name, rule.severity == Severity::kError ? "error" : "warning",
                         rule.sentence, rule.note);
  std::string page = testing::read_file(std::string(ASSAY_SOURCE_DIR) + "/docs/formats/conformance.md");
  EXPECT_NE(page.find("|---|---|---|---|\n" + table + "\n"), std::string::npos) << "the rows must be\n" << table;
}

}  // namespace
}  // namespace assay
