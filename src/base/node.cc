#include "base/node.h"

#include <algorithm>

namespace assay {
namespace {

std::string line_text(const Source& source, int line) {
  size_t from = source.text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark is no part of the line
  for (int n = 1; n < line; ++n) {
    from = source.text.find('\n', from);
    if (from == std::string::npos) return {};
    ++from;
  }
  std::string text = source.text.substr(from, source.text.find('\n', from) - from);
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const auto& member : members)
    if (member.key.text == key) return &member.value;
  return nullptr;
}

std::string_view Node::kind_name() const {
  switch (kind) {
    case Kind::kNull: return "nothing";
    case Kind::kBool: return "a boolean";
    case Kind::kNumber: return "a number";
    case Kind::kString: return "text";
    case Kind::kList: return "a list";
    case Kind::kMap: return "a map";
    case Kind::kDeferred: return "a variable";
  }
  return "";
}

Place Node::place() const {
  if (!source) return {};
  return {source->name, line, column, length, line_text(*source, line)};
}

Json Node::to_json() const {
  if (kind == Kind::kList) {
    Json list = Json::array();
    for (const auto& item : items)
      list.push_back(item.to_json());
    return list;
  }
  if (kind == Kind::kMap) {
    Json map = Json::object();
    for (const auto& member : members)
      map.emplace(member.key.text, member.value.to_json());
    return map;
  }
  return kind == Kind::kDeferred ? Json(text) : scalar;
}

bool Node::has_deferred() const {
  if (is_deferred()) return true;
  return std::any_of(items.begin(), items.end(), [](const Node& n) { return n.has_deferred(); }) ||
         std::any_of(members.begin(), members.end(), [](const Member& m) { return m.value.has_deferred(); });
}

}  // namespace assay
