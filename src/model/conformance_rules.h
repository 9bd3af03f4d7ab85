#pragma once
#include <span>
#include <string_view>

#include "model/transcript.h"

namespace assay {

// One rule of the catalogue: its name, how bad a breach is, what it says, and where it comes from.
struct ConformanceRule {
  std::string_view name;
  Severity severity;
  std::string_view sentence;
  std::string_view note;
};
std::span<const ConformanceRule> conformance_rules();
const ConformanceRule* find_conformance_rule(std::string_view name);

}  // namespace assay
