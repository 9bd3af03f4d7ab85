#include "support/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/files.h"

namespace assay::testing {

void expect_golden(std::string_view name, const std::string& actual) {
  std::string path = ASSAY_SOURCE_DIR "/tests/golden/" + std::string(name);
  const char* update = std::getenv("ASSAY_UPDATE_GOLDENS");
  if (update && std::string_view(update) == "1") return write_file(path, actual);
  EXPECT_EQ(read_file(path), actual) << "differs from " << path << "; ASSAY_UPDATE_GOLDENS=1 approves";
}

}  // namespace assay::testing
