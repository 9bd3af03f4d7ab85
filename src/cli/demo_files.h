#pragma once
#include <string_view>
#include <vector>

namespace assay {

// The files of examples/, carried by the binary.
struct DemoFile {
  std::string_view name;
  std::string_view text;
};
const std::vector<DemoFile>& demo_files();

}  // namespace assay
