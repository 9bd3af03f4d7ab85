#pragma once
#include <string>
#include <string_view>

#include "base/json.h"

namespace assay {

// Reads of a result's JSON that answer "nothing" (null, "", 0) for a member that is missing or of another type: journals
// of other versions must be readable too.
inline const Json& field(const Json& object, std::string_view name) {
  static const Json null;
  if (!object.is_object()) return null;
  auto it = object.find(name);
  return it == object.end() ? null : *it;
}
inline std::string text_field(const Json& object, std::string_view name) {
  const Json& value = field(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}
inline int64_t integer_field(const Json& object, std::string_view name) {
  const Json& value = field(object, name);
  return value.is_number() ? value.get<int64_t>() : 0;
}
inline bool true_field(const Json& object, std::string_view name) { return field(object, name) == true; }

// A result as it lies in the journal. The limits of agents' JSON do not hold here: it is wrapped in more levels.
inline Result<Json> parse_result(std::string_view json) {
  return parse_json(json, JsonLimits{.depth = 100'000, .object_members = SIZE_MAX});
}

}  // namespace assay
