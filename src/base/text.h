#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace assay {

// Agent text made safe for a terminal: control characters, invalid UTF-8 and bidirectional overrides become visible
// escapes (\x1b, \u202e). Newlines and tabs are escaped too unless `keep_newlines`.
enum class Newlines { kEscape, kKeep };
std::string visible(std::string_view text, Newlines newlines = Newlines::kEscape);

// Invalid UTF-8 sequences replaced by U+FFFD, as a browser would.
std::string valid_utf8(std::string_view text);
bool is_valid_utf8(std::string_view text);
size_t valid_utf8_length(std::string_view text);  // bytes before the first that is not valid

// At most `max` bytes, cut between characters, with "…" where something was left out.
std::string shorten(std::string_view text, size_t max);

// The candidate nearest to `word` by edit distance, if it is near enough to be a typing mistake.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);
// "did you mean endpoint?" or "known keys: a, b, c".
std::string suggestion(std::string_view word, std::span<const std::string> candidates, std::string_view what);

// Columns it takes on a terminal; of text that is visible().
size_t display_width(std::string_view text);

std::string_view trim(std::string_view text);
std::string lower(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string quote(std::string_view text);                // "text" in double quotes, control characters visible
std::string plural(long long n, std::string_view noun);  // "1 case", "2 cases"

// Go style: 500ms, 30s, 2m30s, 1.5h. The error says what is wrong with it (a bare number has no unit).
struct DurationText {
  std::optional<Duration> value;
  std::string error;
};
DurationText parse_duration(std::string_view text);
std::string format_duration(Duration d);  // "30s", "2m30s", "212ms", "1.25s"

std::string base64(std::string_view bytes);
std::string url_encode(std::string_view text);

}  // namespace assay
