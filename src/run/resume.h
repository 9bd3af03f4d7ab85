#pragma once
#include <string>

#include "base/error.h"
#include "model/transcript.h"

namespace assay {

// Turns `resume` of a turn into the answers to the interrupts that the turn before it left open: one value for all of
// them, or one for each by its id; `cancelled`, or {status, payload}. Entries as AG-UI has them. The error says what is
// missing or too much. For a legacy interrupt see Turn::legacy_interrupt: its answer is the value itself.
Result<Json> resume_entries(const Json& resume, const Json& interrupts);

// A turn without `resume` behind an interrupt, or one with it behind none: what to tell the user. Empty: all is well.
std::string resume_mistake(bool has_resume, const Turn* before);

}  // namespace assay
