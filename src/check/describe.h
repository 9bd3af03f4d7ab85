#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"

namespace assay {

// Values as they appear in messages: on one line, shortened, control characters visible.
std::string show(const Json& value);
std::string show_text(std::string_view text);  // in double quotes
std::string show_names(const std::vector<std::string>& names);
std::string show_ms(Duration duration);  // "3120.5 ms"

std::string called_times(size_t n);  // "never called", "called once", "called 2 times"

}  // namespace assay
