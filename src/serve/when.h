#pragma once
#include "serve/plan.h"

namespace assay {

// Reads the conditions of a rule.
void read_when(Reader& reader, const Node& node, When& out);

}  // namespace assay
