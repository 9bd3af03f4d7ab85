#include "check/pattern_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::string_view kFlags = "gimsuy";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool are_flags(std::string_view letters) {
  std::set<char> distinct(letters.begin(), letters.end());
  return distinct.size() == letters.size() && letters.find_first_not_of(kFlags) == std::string_view::npos;
}

bool has_bare_slash(std::string_view body) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\\')
      ++i;
    else if (body[i] == '/')
      return true;
  }
  return false;
}

bool looks_like_bad_flags(std::string_view body, std::string_view letters) {
  if (body.empty() || has_bare_slash(body)) return false;
  return letters.size() == 1 || are_flags(lower(letters));
}

struct Unit {
  int value = -1;
  size_t length = 0;
};

// \u0041 or \u{41} at the start of `text`.
Unit unicode_escape(std::string_view text) {
  if (!text.starts_with("\\u")) return {};
  bool braces = text.size() > 2 && text[2] == '{';
  size_t from = braces ? 3 : 2;
  size_t to = braces ? text.find('}') : from + 4;
  if (to == std::string_view::npos || to > text.size() || to == from) return {};
  int value = -1;
  auto [end, ec] = std::from_chars(text.data() + from, text.data() + to, value, 16);
  if (ec != std::errc() || end != text.data() + to || value < 0) return {};
  return {value, to + (braces ? 1 : 0)};
}

Unit unicode_character(std::string_view text) {
  Unit high = unicode_escape(text);
  if (high.value < 0xD800 || high.value > 0xDBFF) return high;
  Unit low = unicode_escape(text.substr(high.length));
  if (low.value < 0xDC00 || low.value > 0xDFFF) return high;
  return {0x10000 + ((high.value - 0xD800) << 10) + (low.value - 0xDC00), high.length + low.length};
}

std::string translate(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size();) {
    Unit unit = unicode_character(source.substr(i));
    size_t length = unit.length ? unit.length : source[i] == '\\' ? 2 : 1;
    if (unit.length)
      out += fmt::format("\\x{{{:x}}}", unit.value);
    else
      out += source.substr(i, length);
    i += length;
  }
  return is_valid_utf8(out) ? out : valid_utf8(out);
}

}  // namespace

PatternSpan PatternSyntax::written(const PatternSpan& span) const {
  auto original = [&](size_t offset) {
    size_t at = 0;
    while (at < source.size() && translate(source.substr(0, at)).size() < offset)
      ++at;
    return at;
  };
  size_t from = original(span.offset);
  size_t to = std::max(original(span.offset + span.length), from + 1);
  return {source_offset + from, to - from};
}

tl::expected<PatternSyntax, PatternSyntaxError> parse_pattern(std::string_view text) {
  PatternSyntax out;
  out.source = text;
  size_t close = text.rfind('/');
  bool delimited = text.starts_with('/') && close > 0;
  std::string_view letters = delimited ? text.substr(close + 1) : std::string_view();
  if (delimited && are_flags(letters)) {
    out.source = text.substr(1, close - 1);
    out.source_offset = 1;
    for (char flag : letters) {
      out.ignore_case |= flag == 'i';
      out.multiline |= flag == 'm';
      out.dot_all |= flag == 's';
      out.anchored |= flag == 'y';
    }
  } else if (delimited && std::all_of(letters.begin(), letters.end(), is_letter) &&
             looks_like_bad_flags(text.substr(1, close - 1), letters)) {
    return tl::unexpected(PatternSyntaxError{
        fmt::format("unknown flag {} (flags are g i m s u y; for the text itself write \\/ for the first slash)", quote(letters)),
        {close + 1, letters.size()}});
  }
  out.body = translate(out.source);
  return out;
}

}  // namespace assay
