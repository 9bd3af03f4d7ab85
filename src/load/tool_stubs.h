#pragma once
#include "base/reader.h"
#include "model/tool_stub.h"

namespace assay {

// `tools:` of a config or a test. Every mistake goes to the reader.
std::vector<ToolStub> read_tool_stubs(Reader& reader, const Node& node);
std::optional<Unmocked> read_unmocked(Reader& reader, const Node& node);

}  // namespace assay
