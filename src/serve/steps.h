#pragma once
#include "serve/plan.h"

namespace assay {

// Reads one item of `steps`; nothing where it has a mistake that leaves no step.
std::optional<Step> read_step(Reader& reader, const Node& node);

// A number of milliseconds, zero allowed; zero too where the node is no such number.
Duration read_pause(Reader& reader, const Node& node, std::string_view what);

// A value as the text an agent would send: text as it is, everything else as compact JSON.
Template text_template(const Node& node);

}  // namespace assay
