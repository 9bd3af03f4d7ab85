#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/json.h"
#include "base/node.h"
#include "base/text.h"

namespace assay::test {

// Nodes out of JSON text, for tests of what reads nodes. Places are found by searching the text for each scalar and key
// in document order: right as long as a token does not occur earlier inside another one.
// A string "${NAME}" becomes a deferred node.
class NodeFromJson {
 public:
  static Document parse(const std::string& text) {
    auto source = std::make_shared<Source>(Source{"test.json", text});
    auto value = parse_json(text);
    EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().message);
    NodeFromJson builder(*source);
    return {source, builder.build(value ? *value : Json())};
  }

 private:
  explicit NodeFromJson(const Source& source) : source_(source) {}

  Node build(const Json& value) {
    if (value.is_object()) return build_map(value);
    if (value.is_array()) return build_list(value);
    Node node = at(to_compact(value));
    node.scalar = value;
    node.text = text_form(value);
    node.kind = scalar_kind(value);
    node.plain = !value.is_string();
    if (value.is_string() && node.text.starts_with("${")) node.kind = Node::Kind::kDeferred;
    return node;
  }
  static Node::Kind scalar_kind(const Json& value) {
    if (value.is_null()) return Node::Kind::kNull;
    if (value.is_boolean()) return Node::Kind::kBool;
    return value.is_number() ? Node::Kind::kNumber : Node::Kind::kString;
  }
  Node build_map(const Json& value) {
    Node node = at("{");
    node.kind = Node::Kind::kMap;
    for (const auto& [key, item] : value.items()) {
      Node name = build(Json(key));
      name.kind = Node::Kind::kString;
      node.members.push_back({std::move(name), build(item)});
    }
    return node;
  }
  Node build_list(const Json& value) {
    Node node = at("[");
    node.kind = Node::Kind::kList;
    for (const auto& item : value)
      node.items.push_back(build(item));
    return node;
  }
  Node at(std::string_view token) {
    size_t found = source_.text.find(token, position_);
    if (found != std::string::npos) position_ = found;
    Node node;
    node.source = &source_;
    std::string_view before(source_.text.data(), position_);
    node.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    size_t newline = before.rfind('\n');
    node.column = static_cast<int>(position_ - (newline == std::string_view::npos ? 0 : newline + 1)) + 1;
    node.length = static_cast<int>(token.size());
    if (found != std::string::npos) position_ += token.size();
    return node;
  }

  const Source& source_;
  size_t position_ = 0;
};

inline Document node_from_json(const std::string& text) { return NodeFromJson::parse(text); }

}  // namespace assay::test
