#include <gtest/gtest.h>
#include <signal.h>

#include <regex>

#include "base/text.h"
#include "support/cli.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::Cli;

struct Example {
  std::string place;  // "README.md:44"
  std::string text;
};

// What stands between ```yaml and ``` in a page. Such an example is a whole file; grammars have a bare fence.
std::vector<Example> examples_of(const fs::path& page) {
  std::vector<Example> out;
  bool inside = false;
  int number = 0;
  for (const auto& line : split(testing::read_file(page.string()), '\n')) {
    ++number;
    if (inside && line == "```")
      inside = false;
    else if (inside)
      out.back().text += line + "\n";
    else if (line == "```yaml")
      inside = true, out.push_back({page.filename().string() + ":" + std::to_string(number), ""});
  }
  return out;
}

std::vector<Example> all_examples() {
  fs::path root = ASSAY_SOURCE_DIR;
  std::vector<Example> out = examples_of(root / "README.md");
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md")
      for (auto& example : examples_of(entry.path()))
        out.push_back(std::move(example));
  return out;
}

bool has_key(const std::string& text, const std::string& key) {
  return ("\n" + text).find("\n" + key + ":") != std::string::npos;
}

TEST(Docs, ExamplesLoad) {
  std::vector<Example> examples = all_examples();
  EXPECT_GE(examples.size(), 4u);
  for (const auto& [place, text] : examples) {
    Cli cli;
    cli.variables["AGUI_TOKEN"] = "a-token";
    if (text.find("    rules:") != std::string::npos) {
      cli.file("agents.yaml", text);
      cli.interrupt(SIGINT);
      EXPECT_EQ(cli.run({"serve", "agents.yaml"}), 0) << place << "\n" << cli.err();
      continue;
    }
    bool is_test = has_key(text, "turns");
    cli.file("assay.config.yaml", is_test ? "target: {endpoint: \"http://h/x\"}\n" : text);
    cli.file("a.test.yaml", is_test ? text : "name: x\nturns: [{user: hi}]\n");
    EXPECT_EQ(cli.run({"run", "--dry-run"}), 0) << place << "\n" << cli.err();
  }
}

// Output behind <!-- scenario NAME --> is what that scenario expects, times aside.
TEST(Docs, OutputIsThatOfItsScenario) {
  fs::path root = ASSAY_SOURCE_DIR;
  int found = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() != ".md") continue;
    std::string page = testing::read_file(entry.path().string());
    static const std::regex shown("<!-- scenario (\\S+) -->\n```text\n([^`]*)```");
    static const std::regex times("\\b[0-9.]+(ms|s)\\b");
    for (std::sregex_iterator it(page.begin(), page.end(), shown), end; it != end; ++it, ++found) {
      fs::path expected = root / "tests/scenarios" / (*it)[1].str() / "stdout";
      EXPECT_EQ(std::regex_replace((*it)[2].str(), times, "<time>"), testing::read_file(expected.string())) << entry.path();
    }
  }
  EXPECT_GE(found, 3);
}

}  // namespace
}  // namespace assay
