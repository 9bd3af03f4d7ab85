#include "load/discover.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/files.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

class DiscoverTest : public ::testing::Test {
 protected:
  void file(const std::string& name) {
    fs::create_directories(fs::path(dir_ / name).parent_path());
    testing::write_file(dir_ / name, "name: x\n");
  }
  // Found paths relative to the project, or the messages of the mistakes.
  Paths found(const std::vector<std::string>& patterns = {}, const std::string& below = "") {
    fs::path root = dir_.path();
    auto paths = discover(patterns, {root / below, root, skipped_});
    Paths out;
    if (!paths)
      for (const auto& error : paths.error())
        out.push_back(error.message);
    else
      for (const auto& path : *paths)
        out.push_back(path.lexically_relative(root).generic_string());
    return out;
  }

  testing::TempDir dir_;
  std::vector<fs::path> skipped_;
};

TEST(Glob, Matches) {
  for (auto [pattern, path] : {std::pair{"a.yaml", "a.yaml"},
                               {"*.yaml", "a.yaml"},
                               {"*", "x"},
                               {"**", "a/b/c"},
                               {"**/x", "x"},
                               {"**/x", "a/b/x"},
                               {"a/**/x", "a/x"},
                               {"a/**/x", "a/b/c/x"},
                               {"a/**", "a/b"},
                               {"?.y", "a.y"},
                               {"[a-c].y", "b.y"},
                               {"[!a-c].y", "d.y"},
                               {"[^a].y", "b.y"},
                               {"[]a].y", "].y"},
                               {"[a-].y", "-.y"},
                               {"*a*b*", "xxaxxbxx"},
                               {"**/*.test.y*ml", "t/a.test.yml"},
                               {"*/**/*", "a/b"}})
    EXPECT_TRUE(glob_match(pattern, path)) << pattern << " " << path;
}

TEST(Glob, DoesNotMatch) {
  for (auto [pattern, path] : {std::pair{"*.yaml", "a/b.yaml"},
                               {"?", "ab"},
                               {"?", ""},
                               {"a", "A"},
                               {"[a-c]", "d"},
                               {"[!a]", "a"},
                               {"a/**/x", "b/x"},
                               {"*/x", "x"},
                               {"*/x", "a/b/x"},
                               {"a?b", "a/b"},
                               {"a[/]b", "a/b"},
                               {"**/x", "xy"},
                               {"**/x", "a/yx"}})
    EXPECT_FALSE(glob_match(pattern, path)) << pattern << " " << path;
}

TEST(Glob, ManyStarsEnd) {
  std::string stars;
  for (int i = 0; i < 30; ++i)
    stars += "*a";
  EXPECT_FALSE(glob_match(stars + "b", std::string(200, 'a')));
  std::string path = "a";
  std::string deep = "**";
  for (int i = 0; i < 30; ++i)
    path += "/a", deep += "/**/a";
  EXPECT_FALSE(glob_match(deep + "/b", path));
}

TEST_F(DiscoverTest, DefaultPatternsInPathOrder) {
  for (const char* name : {"b.test.yaml", "a.test.yml", "sub/c.test.yaml", "sub/deep/er/d.test.yaml", "x.yaml", "a.test.yaml.bak",
                           "test.yaml", "sub/assay.config.yaml", ".hidden.test.yaml"})
    file(name);
  EXPECT_EQ(found(), (Paths{".hidden.test.yaml", "a.test.yml", "b.test.yaml", "sub/c.test.yaml", "sub/deep/er/d.test.yaml"}));
}

TEST_F(DiscoverTest, SomeDirectoriesAreNotEntered) {
  for (const char* name : {"a.test.yaml", "node_modules/p/x.test.yaml", "sub/node_modules/x.test.yaml", ".git/x.test.yaml",
                           "sub/.cache/x.test.yaml", "tapes/x.test.yaml"})
    file(name);
  skipped_ = {dir_ / "tapes"};
  EXPECT_EQ(found(), Paths{"a.test.yaml"});
  EXPECT_EQ(found({"**/*.yaml"}), Paths{"a.test.yaml"});
  EXPECT_EQ(found({"."}), Paths{"a.test.yaml"});
  EXPECT_EQ(found({"node_modules/p"}), Paths{"node_modules/p/x.test.yaml"});  // unless it is named
  EXPECT_EQ(found({".git/*.yaml"}), Paths{".git/x.test.yaml"});
}

TEST_F(DiscoverTest, FilesDirectoriesAndGlobs) {
  for (const char* name : {"a.test.yaml", "other.yaml", "t/b.test.yaml", "t/u/c.test.yaml", "t/note.yaml"})
    file(name);
  EXPECT_EQ(found({"other.yaml"}), Paths{"other.yaml"});
  EXPECT_EQ(found({"t"}), (Paths{"t/b.test.yaml", "t/u/c.test.yaml"}));
  EXPECT_EQ(found({"t/"}), (Paths{"t/b.test.yaml", "t/u/c.test.yaml"}));
  EXPECT_EQ(found({"t/*.yaml"}), (Paths{"t/b.test.yaml", "t/note.yaml"}));
  EXPECT_EQ(found({"**/[bc].test.yaml"}), (Paths{"t/b.test.yaml", "t/u/c.test.yaml"}));
  EXPECT_EQ(found({"./t/**/?.test.yaml"}), (Paths{"t/b.test.yaml", "t/u/c.test.yaml"}));
  EXPECT_EQ(found({dir_ / "t/u/*.yaml"}), Paths{"t/u/c.test.yaml"});
  EXPECT_EQ(found({"../a.test.yaml", "u"}, "t"), (Paths{"a.test.yaml", "t/u/c.test.yaml"}));
  EXPECT_EQ(found({"../*.test.yaml"}, "t"), Paths{"a.test.yaml"});
}

TEST_F(DiscoverTest, EachFileOnce) {
  file("a.test.yaml"), file("t/b.test.yaml");
  EXPECT_EQ(found({"a.test.yaml", ".", "t", "./t/../a.test.yaml", "**/*.yaml", "t/b.test.yaml", dir_ / "a.test.yaml"}),
            (Paths{"a.test.yaml", "t/b.test.yaml"}));
}

TEST_F(DiscoverTest, OnlyRegularFiles) {
  file("a.test.yaml");
  ASSERT_EQ(mkfifo((dir_ / "pipe.test.yaml").c_str(), 0600), 0);
  fs::create_directories(dir_ / "folder.test.yaml");
  fs::create_symlink("nowhere", dir_ / "broken.test.yaml");
  EXPECT_EQ(found(), Paths{"a.test.yaml"});
  EXPECT_EQ(found({"pipe.test.yaml"}), Paths{"pipe.test.yaml is not a regular file"});
}

TEST_F(DiscoverTest, LinksToFilesAreReadAndCirclesAreNot) {
  file("t/a.test.yaml");
  fs::create_symlink("t/a.test.yaml", dir_ / "link.test.yaml");
  fs::create_directory_symlink("..", dir_ / "t/up");
  EXPECT_EQ(found(), (Paths{"link.test.yaml", "t/a.test.yaml"}));
  fs::create_directory_symlink("t", dir_ / "linked");
  EXPECT_EQ(found({"linked"}), Paths{"linked/a.test.yaml"});
}

TEST_F(DiscoverTest, NamesWithWildcardsInThem) {
  file("[x].test.yaml");
  EXPECT_EQ(found({"[x].test.yaml"}), Paths{"[x].test.yaml"});
}

TEST_F(DiscoverTest, EveryPatternThatNamesNothingIsAMistake) {
  file("a.test.yaml");
  fs::create_directories(dir_ / "empty");
  EXPECT_EQ(found({"a.test.yaml", "nope", "*.jsonl", "empty", "no/such/*.yaml"}),
            (Paths{"nope: no such file or directory", "no file matches *.jsonl",
                   "no test file (*.test.yaml, *.test.yml) below empty", "no file matches no/such/*.yaml"}));
}

TEST_F(DiscoverTest, NothingFound) { EXPECT_EQ(found(), Paths{"no test file (*.test.yaml, *.test.yml) below " + dir_.path()}); }

TEST_F(DiscoverTest, ADirectoryWhoseFilesAreNamedAlreadyIsNotEmpty) {
  file("t/a.test.yaml");
  EXPECT_EQ(found({"t/a.test.yaml", "t"}), Paths{"t/a.test.yaml"});
}

}  // namespace
}  // namespace assay
