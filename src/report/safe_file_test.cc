#include "report/safe_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::read_file;
using testing::TempDir;
using testing::write_file;

TEST(SafeFile, AppearsOnlyWhenCommitted) {
  TempDir dir;
  write_file(dir / "r.json", "old");
  {
    SafeFile file(dir / "r.json");
    file.write(std::string(1 << 20, 'n'));
    EXPECT_EQ(read_file(dir / "r.json"), "old");
    ASSERT_TRUE(file.commit());
  }
  EXPECT_EQ(read_file(dir / "r.json").size(), size_t{1} << 20);
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(SafeFile, LeavesNothingBehindWithoutCommit) {
  TempDir dir;
  write_file(dir / "r.json", "old");
  { SafeFile(dir / "r.json").write("half"); }
  EXPECT_EQ(read_file(dir / "r.json"), "old");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(SafeFile, FollowsLinks) {
  TempDir dir;
  fs::create_directory(dir / "real");
  write_file(dir / "real/r.json", "old");
  fs::create_symlink("real/r.json", dir / "link.json");
  SafeFile file(dir / "link.json");
  file.write("new");
  ASSERT_TRUE(file.commit());
  EXPECT_TRUE(fs::is_symlink(dir / "link.json"));
  EXPECT_EQ(read_file(dir / "real/r.json"), "new");
}

TEST(SafeFile, NamesFileAndReason) {
  TempDir dir;
  fs::create_symlink("/dev/full", dir / "full.json");
  fs::create_directory(dir / "dir.json");
  for (auto [name, reason] : {std::pair{"full.json", "No space left on device"}, std::pair{"dir.json", "Is a directory"},
                              std::pair{"missing/r.json", "No such file or directory"}}) {
    SafeFile file(dir / name);
    file.write("text");
    auto done = file.commit();
    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().message, "cannot write " + (dir / name) + ": " + reason);
    EXPECT_EQ(done.error().kind, ErrorKind::kIo);
  }
}

}  // namespace
}  // namespace assay
