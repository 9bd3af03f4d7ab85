#pragma once
#include <string>
#include <string_view>

#include "base/json.h"

// Reading messages and their content, which may be anything.
namespace assay {

inline std::string text_member(const Json& object, std::string_view key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// Text parts of a content list, concatenated.
inline std::string text_of_parts(const Json& parts) {
  std::string out;
  for (const auto& part : parts)
    if (part.is_object() && text_member(part, "type") == "text") out += text_member(part, "text");
  return out;
}

inline std::string text_of_content(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  return content.is_array() ? text_of_parts(content) : std::string();
}

inline Json parsed_or_text(const std::string& text) {
  auto value = parse_json(text);
  return value ? std::move(*value) : Json(text);
}

}  // namespace assay
