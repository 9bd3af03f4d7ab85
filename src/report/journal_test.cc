#include "report/journal.h"

#include <gtest/gtest.h>

#include "support/files.h"

namespace assay {
namespace {

std::vector<std::string> all_of(const Journal& journal) {
  std::vector<std::string> out;
  EXPECT_TRUE(journal.for_each([&](std::string_view json) { out.emplace_back(json); }));
  return out;
}

TEST(Journal, IsReadByAscendingIndexFromMemoryAndFromDisk) {
  testing::TempDir dir;
  for (size_t limit : {size_t{0}, size_t{6}, size_t{1000}}) {
    Journal journal(dir.path(), limit);
    for (size_t index : {2u, 0u, 1u, 3u})
      ASSERT_TRUE(journal.append(index, "{\"" + std::to_string(index) + "\"}"));
    EXPECT_EQ(all_of(journal), (std::vector<std::string>{"{\"0\"}", "{\"1\"}", "{\"2\"}", "{\"3\"}"})) << limit;
    EXPECT_EQ(journal.size(), 4u);
    EXPECT_EQ(dir.entries(), 0u) << "the temporary file has no name";
  }
}

TEST(Journal, KeepsEmptyAndLargeEntries) {
  testing::TempDir dir;
  Journal journal(dir.path(), 100);
  std::string large(1 << 20, 'x');
  ASSERT_TRUE(journal.append(1, large));
  ASSERT_TRUE(journal.append(0, ""));
  EXPECT_EQ(all_of(journal), (std::vector<std::string>{"", large}));
}

TEST(Journal, SaysWhyThereCanBeNoFileAndKeepsWhatItHas) {
  testing::TempDir dir;
  Journal journal(dir / "missing", 4);
  ASSERT_TRUE(journal.append(0, "kept"));
  for (int i = 0; i < 2; ++i) {
    auto kept = journal.append(1, "lost");
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().kind, ErrorKind::kIo);
    EXPECT_NE(kept.error().message.find(dir / "missing"), std::string::npos);
    EXPECT_NE(kept.error().message.find("No such file or directory"), std::string::npos);
  }
  EXPECT_EQ(all_of(journal), std::vector<std::string>{"kept"});
}

}  // namespace
}  // namespace assay
