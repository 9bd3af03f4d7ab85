#pragma once
#include <string>
#include <vector>

#include "base/reader.h"

namespace assay {

// `cmd` of a hook, a stub or a launch: the program and its arguments, no shell. `example` shows how to write it.
std::vector<std::string> read_command(Reader& reader, const Node& node, const std::string& example);

}  // namespace assay
