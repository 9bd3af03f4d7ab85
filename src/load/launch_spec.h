#pragma once
#include <filesystem>
#include <string_view>

#include "base/reader.h"
#include "model/launch.h"

namespace assay {

// Reads `launch`, whose paths are relative to `directory`.
LaunchSpec read_launch(Reader& reader, const Node& node, const std::filesystem::path& directory);

// Where an http:// or https:// URL is listened at.
LaunchReady port_of_url(std::string_view url);

}  // namespace assay
