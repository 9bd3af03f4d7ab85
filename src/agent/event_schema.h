#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "agent/decode.h"

namespace assay {

// Told about each field that is not as AG-UI 1.1 describes it: the rule it breaks and a sentence.
using SchemaSink = std::function<void(std::string_view rule, std::string message)>;

// Judges the fields of one event by the table of events: required fields, shapes of values, unknown and misspelt keys,
// nulls. True: nothing was wrong that makes the event unusable (an error, as opposed to a warning).
bool check_event_fields(const AguiEvent& event, const SchemaSink& sink);

}  // namespace assay
