#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

// Compiled once, in json.cc: every file that uses a value would do it again.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace assay {

// The JSON value everywhere: keeps key order, as JavaScript does.
using Json = nlohmann::ordered_json;

struct JsonLimits {
  size_t depth = 200;
  size_t object_members = 4096;
};

// Parses one JSON text. A repeated key keeps its first place and takes the last value; invalid UTF-8 and lone
// surrogates become U+FFFD; integers beyond 64 bits become doubles. What passes a limit is an error that names it.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

// Compact JSON, numbers as JavaScript prints them (1.0 is 1), except that 64-bit integers keep all their digits.
std::string to_compact(const Json& value);
void append_compact(const Json& value, std::string& out);
void append_json_string(std::string_view text, std::string& out);
std::string number_text(double value);

// What patterns see: a string as it is, everything else compact; null is "null".
std::string text_form(const Json& value);

// Structural equality: 1 equals 1.0, objects without order, arrays with.
bool json_equal(const Json& a, const Json& b);

// "null", "boolean", "number", "string", "array" or "object".
std::string_view json_type(const Json& value);

// Dotted path (`user.address.city`, `items.0.id`); a key that exists literally wins over the path.
const Json* find_path(const Json& value, std::string_view dotted);
// The same, or a JSON pointer where the path starts with '/' ("" is the whole value).
const Json* find_pointer_or_path(const Json& value, std::string_view path);

}  // namespace assay
