#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "report/journal.h"

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

// Every result of the journal by ascending index; one that cannot be read is an error, the others are still shown.
// The limits of agents' JSON do not hold here: it is wrapped in more levels.
inline Result<void> for_each_result(const Journal& journal, const std::function<void(const Json& result)>& each) {
  constexpr JsonLimits kLimits{.depth = 100'000, .object_members = SIZE_MAX};
  Result<void> parsed;
  auto read = journal.for_each([&](std::string_view text) {
    auto result = parse_json(text, kLimits);
    if (result)
      each(*result);
    else if (parsed)
      parsed = fail(ErrorKind::kInternal, "a result in the journal cannot be read: " + result.error().message);
  });
  return read ? parsed : read;
}

}  // namespace assay
