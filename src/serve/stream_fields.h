#pragma once
#include <span>

#include "serve/plan.h"

namespace assay {

// The keys of a rule that spoil its stream: rules of the protocol broken on purpose, and unusual bytes.
std::span<const Field<Rule>> stream_fields();

}  // namespace assay
