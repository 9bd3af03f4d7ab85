#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace assay {
namespace {

constexpr size_t kShownBytes = 160;

// The part of a long line that a reader needs: the caret and what stands around it.
struct Excerpt {
  std::string line;
  size_t caret;  // columns before the caret
  size_t marks;  // columns it underlines
};

bool is_inside_character(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

Excerpt excerpt(const Place& place) {
  std::string_view text = place.text;
  size_t column = place.column > 0 ? static_cast<size_t>(place.column) - 1 : 0;
  column = std::min(column, text.size());
  size_t from = column > kShownBytes / 2 && text.size() > kShownBytes ? column - kShownBytes / 2 : 0;
  while (from < column && is_inside_character(text, from))
    ++from;
  std::string before = (from > 0 ? "…" : "") + visible(text.substr(from, column - from));
  std::string after = shorten(text.substr(column), kShownBytes);
  size_t length = std::min(static_cast<size_t>(std::max(place.length, 1)), after.size());
  while (is_inside_character(after, length))
    ++length;
  size_t marks = display_width(visible(after.substr(0, length)));
  return {before + visible(after), display_width(before), std::max<size_t>(marks, 1)};
}

}  // namespace

std::string render_source(const Place& place, std::string_view indent) {
  if (place.line <= 0 || place.text.empty()) return {};
  auto [line, caret, marks] = excerpt(place);
  std::string number = std::to_string(place.line);
  std::string out = fmt::format("{}{} | {}\n", indent, number, line);
  out += fmt::format("{}{} | {}{}\n", indent, std::string(number.size(), ' '), std::string(caret, ' '), std::string(marks, '^'));
  return out;
}

std::string render_error(const Error& error) {
  std::string out;
  if (!error.place.file.empty()) {
    out += visible(error.place.file);
    if (error.place.line > 0) out += fmt::format(":{}:{}", error.place.line, std::max(error.place.column, 1));
    out += ": ";
  }
  out += "error: " + visible(error.message, Newlines::kKeep) + "\n";
  out += render_source(error.place, "  ");
  if (!error.hint.empty()) out += "  hint: " + visible(error.hint, Newlines::kKeep) + "\n";
  return out;
}

}  // namespace assay
