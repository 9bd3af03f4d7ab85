#include "check/read_pattern.h"

#include <fmt/format.h>

namespace assay {
namespace {

// The piece of a scalar an error is about; the whole scalar where escapes or folding moved the characters.
Node piece_of(const Node& node, const Place& within) {
  Node piece;
  piece.source = node.source;
  piece.line = node.line;
  piece.column = node.column;
  piece.length = node.length;
  size_t start = static_cast<size_t>(std::max(node.column, 1)) - 1 + (node.plain ? 0 : 1);
  std::string line = node.place().text;
  if (line.size() < start || line.compare(start, node.text.size(), node.text) != 0) return piece;
  piece.column = static_cast<int>(start) + within.column;
  piece.length = within.length;
  return piece;
}

}  // namespace

std::optional<Pattern> read_pattern(Reader& reader, const Node& node, std::string_view what) {
  auto text = reader.text(node, what);
  if (!text) return std::nullopt;
  auto pattern = Pattern::compile(*text);
  if (pattern) return *pattern;
  reader.error(piece_of(node, pattern.error().place), fmt::format("{}: {}", what, pattern.error().message));
  return std::nullopt;
}

std::vector<WrittenPattern> read_patterns(Reader& reader, const Node& node, std::string_view what) {
  std::vector<WrittenPattern> out;
  auto read_one = [&](const Node& item) {
    if (auto pattern = read_pattern(reader, item, what)) out.push_back({std::move(*pattern), item.place()});
  };
  if (!node.is_list()) return read_one(node), out;
  for (const auto& item : node.items)
    read_one(item);
  return out;
}

}  // namespace assay
