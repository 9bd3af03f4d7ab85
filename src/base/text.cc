#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace assay {
namespace {

// The length of the valid UTF-8 sequence at the start of `s`, 0 where there is none; its code point in `cp`.
size_t sequence(std::string_view s, uint32_t& cp) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  auto tail = [&](size_t i) { return i < s.size() && (byte(i) & 0xC0) == 0x80; };
  unsigned char c = byte(0);
  if (c < 0x80) return cp = c, 1;
  if (c >= 0xC2 && c <= 0xDF && tail(1)) return cp = (c & 0x1Fu) << 6 | (byte(1) & 0x3Fu), 2;
  if ((c & 0xF0) == 0xE0 && tail(1) && tail(2)) {
    cp = (c & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    return cp >= 0x800 && (cp < 0xD800 || cp > 0xDFFF) ? 3 : 0;
  }
  if (c >= 0xF0 && c <= 0xF4 && tail(1) && tail(2) && tail(3)) {
    cp = (c & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
    return cp >= 0x10000 && cp <= 0x10FFFF ? 4 : 0;
  }
  return 0;
}

// Would a terminal act on it, or a reader be misled by it? (C0, C1, DEL, bidi and invisible controls)
bool is_control(uint32_t cp) {
  if (cp < 0x20 || (cp >= 0x7F && cp <= 0x9F)) return true;
  return cp == 0x061C || (cp >= 0x200B && cp <= 0x200F) || (cp >= 0x2028 && cp <= 0x202E) || (cp >= 0x2060 && cp <= 0x2069) ||
         cp == 0xFEFF || (cp >= 0xFFF9 && cp <= 0xFFFB) || (cp >= 0xE0000 && cp <= 0xE007F);
}

struct CodeRange {
  uint32_t from, to;
};
constexpr std::array<CodeRange, 12> kWide = {{{0x1100, 0x115F},
                                              {0x2E80, 0x303E},
                                              {0x3041, 0x33FF},
                                              {0x3400, 0x4DBF},
                                              {0x4E00, 0xA4CF},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60},
                                              {0xFFE0, 0xFFE6},
                                              {0x1F300, 0x1FAFF},
                                              {0x20000, 0x3FFFD}}};
constexpr std::array<CodeRange, 4> kCombining = {{{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};

bool is_in(std::span<const CodeRange> ranges, uint32_t cp) {
  return std::any_of(ranges.begin(), ranges.end(), [cp](CodeRange r) { return r.from <= cp && cp <= r.to; });
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> before2(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before2 = before;
    before = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + cost});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before2[j - 2] + 1);
    }
  }
  return row[b.size()];
}

struct Unit {
  std::string_view name;
  double microseconds;
};
constexpr std::array<Unit, 6> kUnits = {{{"us", 1}, {"µs", 1}, {"ms", 1e3}, {"s", 1e6}, {"m", 6e7}, {"h", 3.6e9}}};

}  // namespace

std::string visible(std::string_view text, Newlines newlines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    uint32_t cp = 0;
    size_t n = sequence(text, cp);
    bool kept_newline = newlines == Newlines::kKeep && (cp == '\n' || cp == '\t');
    if (n == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      n = 1;
    } else if (!is_control(cp) || kept_newline) {
      out += text.substr(0, n);
    } else if (cp == '\n') {
      out += "\\n";
    } else if (cp == '\t') {
      out += "\\t";
    } else if (cp == '\r') {
      out += "\\r";
    } else {
      out += cp < 0x100 ? fmt::format("\\x{:02x}", cp) : fmt::format("\\u{:04x}", cp);
    }
    text.remove_prefix(n);
  }
  return out;
}

size_t valid_utf8_length(std::string_view text) {
  uint32_t cp = 0;
  size_t at = 0;
  while (at < text.size()) {
    size_t n = sequence(text.substr(at), cp);
    if (n == 0) break;
    at += n;
  }
  return at;
}

bool is_valid_utf8(std::string_view text) { return valid_utf8_length(text) == text.size(); }

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    uint32_t cp = 0;
    size_t n = sequence(text, cp);
    out += n ? text.substr(0, n) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(std::max<size_t>(n, 1));
  }
  return out;
}

std::string shorten(std::string_view text, size_t max) {
  if (text.size() <= max) return std::string(text);
  size_t end = max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return std::string(text.substr(0, end)) + "…";
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::string typed = lower(word);
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    std::string known = lower(candidate);
    bool unit_differs = known.starts_with(typed + "_") || typed.starts_with(known + "_");  // timeout and timeout_ms
    size_t distance = unit_differs ? 1 : edit_distance(typed, known);
    if (distance < best_distance) best = candidate, best_distance = distance;
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates, std::string_view what) {
  if (auto near = nearest(word, candidates)) return fmt::format("did you mean {}?", *near);
  if (candidates.empty()) return fmt::format("there are no {}", what);
  return fmt::format("{}: {}", what, join(candidates, ", "));
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    uint32_t cp = 0;
    size_t n = sequence(text, cp);
    width += is_in(kCombining, cp) ? 0 : is_in(kWide, cp) ? 2 : 1;
    text.remove_prefix(std::max<size_t>(n, 1));
  }
  return width;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t from = 0;;) {
    size_t to = text.find(separator, from);
    parts.emplace_back(text.substr(from, to == std::string_view::npos ? to : to - from));
    if (to == std::string_view::npos) return parts;
    from = to + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i) out += separator;
    out += parts[i];
  }
  return out;
}

std::string quote(std::string_view text) { return "\"" + visible(text) + "\""; }

std::string plural(long long n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

DurationText parse_duration(std::string_view text) {
  auto bad = [&](std::string_view why) {
    return DurationText{std::nullopt, fmt::format("{} is not a duration: {} (like 500ms, 30s, 2m30s, 1.5h)", quote(text), why)};
  };
  std::string_view rest = text;
  double total = 0;
  if (rest.empty()) return bad("it is empty");
  while (!rest.empty()) {
    double number = 0;
    size_t digits = std::min(rest.find_first_not_of("0123456789."), rest.size());
    auto [end, ec] = std::from_chars(rest.data(), rest.data() + digits, number, std::chars_format::fixed);
    if (digits == 0 || ec != std::errc() || end != rest.data() + digits) return bad("a number is expected");
    rest.remove_prefix(digits);
    if (rest.empty()) return bad("it has no unit");
    std::string_view word = rest.substr(0, rest.find_first_of("0123456789."));
    auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == word; });
    if (unit == kUnits.end()) return bad(fmt::format("{} is no unit", quote(word)));
    total += number * unit->microseconds;
    rest.remove_prefix(word.size());
  }
  if (total > 1e15) return bad("it is too long");
  return {Duration(static_cast<int64_t>(std::llround(total))), {}};
}

std::string format_duration(Duration d) {
  auto us = d.count();
  if (us < 0) return "-" + format_duration(-d);
  if (us < 1000) return us == 0 ? "0ms" : fmt::format("{:.2g}ms", static_cast<double>(us) / 1e3);
  if (us < 1'000'000) return fmt::format("{}ms", us / 1000);
  if (us < 60'000'000) {
    std::string seconds = fmt::format("{:.2f}", static_cast<double>(us) / 1e6);
    while (seconds.back() == '0')
      seconds.pop_back();
    if (seconds.back() == '.') seconds.pop_back();
    return seconds + "s";
  }
  int64_t total = us / 1'000'000;
  std::string out;
  if (total >= 3600) out += fmt::format("{}h", total / 3600);
  if (total % 3600 / 60) out += fmt::format("{}m", total % 3600 / 60);
  if (total % 60) out += fmt::format("{}s", total % 60);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    size_t n = std::min<size_t>(3, bytes.size() - i);
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k)
      out += k <= n ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string url_encode(std::string_view text) {
  std::string out;
  for (unsigned char c : text) {
    bool unreserved = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' ||
                      c == '.' || c == '~';
    out += unreserved ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return out;
}

}  // namespace assay
