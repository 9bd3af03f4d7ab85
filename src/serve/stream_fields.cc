#include "serve/stream_fields.h"

#include <array>

namespace assay {
namespace {

constexpr int64_t kLargestSplit = 1 << 20;

void add_breach(Reader& reader, const Node& node, Rule& out) {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& breach : breaches())
      names.emplace_back(breach.rule);
    return names;
  }();
  if (auto index = reader.word(node, "`violate`", kNames)) out.violate.push_back(&breaches()[*index]);
}

void read_violate(Reader& reader, const Node& node, Rule& out) {
  if (!node.is_list()) return add_breach(reader, node, out);
  for (const auto& item : node.items)
    add_breach(reader, item, out);
}

void read_newline(Reader& reader, const Node& node, Rule& out) {
  static const std::vector<std::string> kWords = {"lf", "crlf", "cr"};
  constexpr std::string_view kNewlines[] = {"\n", "\r\n", "\r"};
  if (auto index = reader.word(node, "`newline`", kWords)) out.wire.newline = kNewlines[*index];
}

void read_split(Reader& reader, const Node& node, Rule& out) {
  static const std::vector<std::string> kWords = {"random"};
  if (node.kind == Node::Kind::kString)
    out.wire.split_random = reader.word(node, "`split`", kWords).has_value();
  else
    out.wire.split = static_cast<size_t>(reader.integer(node, "`split`", 1, kLargestSplit).value_or(0));
}

constexpr std::array kFields = {
    Field<Rule>{"violate", "rule or list of rules", "breaks these rules of AG-UI", read_violate},
    Field<Rule>{"newline", "lf, crlf or cr", "how lines end (lf)", read_newline},
    Field<Rule>{"crlf", "boolean", "the same as newline: crlf (false)",
                [](Reader& r, const Node& n, Rule& out) {
                  if (r.boolean(n, "`crlf`").value_or(false)) out.wire.newline = "\r\n";
                }},
    Field<Rule>{"split", "number or random", "bytes in one write, whatever it cuts", read_split},
    Field<Rule>{"last_blank", "boolean", "the blank line behind the last event (true)",
                [](Reader& r, const Node& n, Rule& out) { out.wire.last_blank = r.boolean(n, "`last_blank`").value_or(true); }},
    Field<Rule>{"bom", "boolean", "a byte order mark first (false)",
                [](Reader& r, const Node& n, Rule& out) { out.wire.bom = r.boolean(n, "`bom`").value_or(false); }},
    Field<Rule>{"comments", "boolean", "a keep-alive comment before every event (false)",
                [](Reader& r, const Node& n, Rule& out) { out.wire.comments = r.boolean(n, "`comments`").value_or(false); }},
    Field<Rule>{"gzip", "boolean", "Content-Encoding: gzip (false)",
                [](Reader& r, const Node& n, Rule& out) { out.wire.gzip = r.boolean(n, "`gzip`").value_or(false); }},
};

}  // namespace

std::span<const Field<Rule>> stream_fields() { return kFields; }

}  // namespace assay
