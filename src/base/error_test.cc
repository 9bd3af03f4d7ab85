#include "base/error.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace assay {
namespace {

Error mistake(std::string line, int column, int length) {
  return {ErrorKind::kInput, "wrong", {"a.yaml", 3, column, length, std::move(line)}, {}};
}

// Both lines of the excerpt, without what stands before the bar.
std::pair<std::string, std::string> excerpt_of(const Error& error) {
  std::vector<std::string> lines = split(render_source(error.place, ""), '\n');
  return {lines.at(0).substr(4), lines.at(1).substr(4)};
}

TEST(RenderError, PlaceLineCaretHint) {
  Error error = mistake("  endpont: x", 3, 7);
  error.hint = "did you mean endpoint?";
  EXPECT_EQ(render_error(error),
            "a.yaml:3:3: error: wrong\n"
            "  3 |   endpont: x\n"
            "    |   ^^^^^^^\n"
            "  hint: did you mean endpoint?\n");
}

TEST(RenderError, WithoutAPlace) {
  EXPECT_EQ(render_error({ErrorKind::kUsage, "no", {}, {}}), "error: no\n");
  EXPECT_EQ(render_error({ErrorKind::kInput, "no", {"a.yaml", 0, 0, 0, {}}, {}}), "a.yaml: error: no\n");
  EXPECT_EQ(render_error({ErrorKind::kInput, "no", {"a.yaml", 7, 0, 0, {}}, {}}), "a.yaml:7:1: error: no\n");
}

TEST(RenderError, MultiByteText) {
  EXPECT_EQ(excerpt_of(mistake("ö: äöü x", 5, 6)), (std::pair<std::string, std::string>("ö: äöü x", "   ^^^")));
  EXPECT_EQ(excerpt_of(mistake("日本: x", 9, 1)), (std::pair<std::string, std::string>("日本: x", "      ^")));
  EXPECT_EQ(excerpt_of(mistake("a: 日本", 4, 6)).second, "   ^^^^");
  EXPECT_EQ(excerpt_of(mistake("🌍 x", 6, 1)).second, "   ^");
  EXPECT_EQ(excerpt_of(mistake("e\u0301 x", 5, 1)).second, "  ^");
}

TEST(RenderError, TabsAndControlCharactersAreShown) {
  EXPECT_EQ(excerpt_of(mistake("\tb: 1", 2, 1)), (std::pair<std::string, std::string>("\\tb: 1", "  ^")));
  EXPECT_EQ(excerpt_of(mistake("a: \x1b[31m", 4, 5)), (std::pair<std::string, std::string>("a: \\x1b[31m", "   ^^^^^^^^")));
  EXPECT_EQ(excerpt_of(mistake("a: \xff x", 6, 1)).second, "        ^");
}

TEST(RenderError, LongLinesAreCutAroundTheCaret) {
  std::string line(5000, 'a');
  line[4000] = 'X';
  auto [text, caret] = excerpt_of(mistake(line, 4001, 1));
  EXPECT_LT(text.size(), 300u);
  EXPECT_TRUE(text.starts_with("…"));
  EXPECT_TRUE(text.ends_with("…"));
  ASSERT_EQ(caret.find('^'), display_width(text.substr(0, text.find('X'))));
  std::string wide;
  for (int i = 0; i < 500; ++i)
    wide += "日";
  auto [cut, below] = excerpt_of(mistake(wide, 901, 3));
  EXPECT_EQ(cut.find("\\x"), std::string::npos) << cut;
  EXPECT_EQ(below.substr(below.find('^')), "^^");
}

TEST(RenderError, MarksEndWithTheLine) {
  EXPECT_EQ(excerpt_of(mistake("abc", 2, 500)).second, " ^^");
  EXPECT_EQ(excerpt_of(mistake("abc", 4, 1)).second, "   ^");
  EXPECT_EQ(excerpt_of(mistake("abc", 99, 9)).second, "   ^");
  EXPECT_EQ(excerpt_of(mistake("abc", 0, 0)).second, "^");
  EXPECT_LT(excerpt_of(mistake(std::string(5000, 'a'), 1, 5000)).second.size(), 170u);
}

TEST(DisplayWidth, Columns) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("äö"), 2u);
  EXPECT_EQ(display_width("日本"), 4u);
  EXPECT_EQ(display_width("\xff"), 1u);
}

}  // namespace
}  // namespace assay
