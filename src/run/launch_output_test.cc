#include "run/launch_output.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::vector<std::string> split_in_pieces(std::string_view bytes, size_t size) {
  std::vector<std::string> out;
  LineSplitter splitter;
  auto take = [&](std::string_view line) { out.emplace_back(line); };
  for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size())))
    splitter.feed(bytes.substr(0, size), take);
  splitter.finish(take);
  return out;
}

TEST(LineSplitter, PiecesOfAnySize) {
  for (size_t size : {1u, 2u, 5u, 100u}) {
    EXPECT_EQ(split_in_pieces("a\n\nbcd\nlast", size), (std::vector<std::string>{"a", "", "bcd", "last"}));
    EXPECT_EQ(split_in_pieces("a\n", size), (std::vector<std::string>{"a"}));
  }
}

TEST(LineSplitter, LongLinesAreCut) {
  for (size_t size : {1000u, 1u << 20}) {
    auto lines = split_in_pieces(std::string(LineSplitter::kLongest * 2 + 5, 'x') + "\ny", size);
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0].size(), LineSplitter::kLongest);
    EXPECT_EQ(lines[2], "xxxxx");
    EXPECT_EQ(lines[3], "y");
  }
}

TEST(LastLines, KeepsTheLastOnes) {
  LastLines last;
  EXPECT_TRUE(last.lines().empty());
  for (int i = 0; i < 50; ++i)
    last.add(std::to_string(i) + "\r"), last.add("  ");
  auto lines = last.lines();
  ASSERT_EQ(lines.size(), LastLines::kKept);
  EXPECT_EQ(lines.front(), "30");
  EXPECT_EQ(lines.back(), "49");
}

}  // namespace
}  // namespace assay
