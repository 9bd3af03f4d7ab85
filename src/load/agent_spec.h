#pragma once
#include "base/reader.h"
#include "base/redact.h"
#include "model/case.h"

namespace assay {

// Reads `target` or an entry of `agents`; header values that are secrets are made known to the redactor.
AgentSpec read_agent_spec(Reader& reader, const Node& node, Redactor* secrets);

}  // namespace assay
