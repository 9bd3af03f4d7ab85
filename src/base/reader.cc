#include "base/reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/text.h"

namespace assay {

void Reader::error(const Node& at, std::string message, std::string hint) {
  errors_.push_back({ErrorKind::kInput, std::move(message), at.place(), std::move(hint)});
}

bool Reader::refuse(const Node& node, std::string_view what, std::string_view expected) {
  if (!node.is_deferred()) error(node, fmt::format("{} must be {}, not {}", what, expected, node.kind_name()));
  return false;
}

bool Reader::map(const Node& node, std::string_view what) { return node.is_map() || refuse(node, what, "a map"); }
bool Reader::list(const Node& node, std::string_view what) { return node.is_list() || refuse(node, what, "a list"); }

std::optional<std::string> Reader::text(const Node& node, std::string_view what) {
  bool scalar = node.is_string() || node.kind == Node::Kind::kNumber || node.kind == Node::Kind::kBool;
  if (scalar) return node.text;
  refuse(node, what, "text");
  return std::nullopt;
}

std::optional<bool> Reader::boolean(const Node& node, std::string_view what) {
  if (node.kind == Node::Kind::kBool) return node.scalar.get<bool>();
  if (node.from_text && (node.text == "true" || node.text == "false")) return node.text == "true";
  refuse(node, what, "true or false");
  return std::nullopt;
}

std::optional<double> Reader::number(const Node& node, std::string_view what) {
  double value = 0;
  if (node.kind == Node::Kind::kNumber) {
    value = node.scalar.get<double>();
  } else {
    const char* end = node.text.data() + node.text.size();
    auto [stop, ec] = std::from_chars(node.text.data(), end, value);
    if (!node.from_text || ec != std::errc() || stop != end) return refuse(node, what, "a number"), std::nullopt;
  }
  if (std::isfinite(value) && value >= 0) return value;
  error(node, fmt::format("{} must be zero or more", what));
  return std::nullopt;
}

std::optional<int64_t> Reader::integer(const Node& node, std::string_view what, int64_t min, int64_t max) {
  auto value = number(node, what);
  if (!value) return std::nullopt;
  bool fits =
      *value == std::floor(*value) && *value >= static_cast<double>(min) && *value <= static_cast<double>(max) && *value < 9e15;
  if (fits) return static_cast<int64_t>(*value);
  std::string range = max == INT64_MAX ? fmt::format("{} or more", min) : fmt::format("from {} to {}", min, max);
  error(node, fmt::format("{} must be a whole number, {}", what, range));
  return std::nullopt;
}

std::optional<Duration> Reader::milliseconds(const Node& node, std::string_view what) {
  auto value = number(node, what);
  if (!value) return std::nullopt;
  if (*value > 0 && *value <= 1e12) return from_ms(*value);
  error(node, fmt::format("{} must be a number of milliseconds above zero", what));
  return std::nullopt;
}

std::optional<Duration> Reader::duration(const Node& node, std::string_view what) {
  if (node.is_deferred()) return std::nullopt;
  if (!node.is_string() && node.kind != Node::Kind::kNumber) return refuse(node, what, "a duration like 30s"), std::nullopt;
  auto parsed = parse_duration(node.text);
  if (!parsed.value) error(node, fmt::format("{}: {}", what, parsed.error));
  if (parsed.value && *parsed.value <= Duration{}) return error(node, fmt::format("{} must be above zero", what)), std::nullopt;
  return parsed.value;
}

std::vector<std::string> Reader::texts(const Node& node, std::string_view what) {
  std::vector<std::string> out;
  if (!list(node, what)) return out;
  for (const auto& item : node.items)
    if (auto value = text(item, fmt::format("an item of {}", what))) out.push_back(*value);
  return out;
}

std::vector<std::string> Reader::text_or_texts(const Node& node, std::string_view what) {
  if (node.is_list()) return texts(node, what);
  std::vector<std::string> out;
  if (auto value = text(node, what)) out.push_back(*value);
  return out;
}

std::optional<size_t> Reader::word(const Node& node, std::string_view what, std::span<const std::string> words) {
  auto value = text(node, what);
  if (!value) return std::nullopt;
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == *value) return i;
  error(node, fmt::format("{} cannot be {}", what, quote(*value)), suggestion(*value, words, "one of"));
  return std::nullopt;
}

void Reader::unknown_key(const Node& key, std::span<const std::string> known, std::string_view what) {
  error(key, fmt::format("unknown key {} in {}", quote(key.text), what), suggestion(key.text, known, "known keys"));
}

}  // namespace assay
