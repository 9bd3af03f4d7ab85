#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace assay {

// The text a document was read from. Nodes point into it, so it outlives them.
struct Source {
  std::string name;  // as shown to the user
  std::string text;
};

// A value that knows where it was written: what YAML and JSON files become before they are given a meaning.
class Node {
 public:
  enum class Kind { kNull, kBool, kNumber, kString, kList, kMap, kDeferred };
  struct Member;

  Kind kind = Kind::kNull;
  // Text of a scalar: the characters of a string; for null, booleans and numbers what was written.
  // Of a deferred node: the text with its unresolved references.
  std::string text;
  Json scalar;  // null, boolean, number or string; unused for lists and maps
  std::vector<Node> items;
  std::vector<Member> members;  // in the order written, keys unique
  const Source* source = nullptr;
  int line = 0;            // from 1
  int column = 0;          // from 1, in bytes
  int length = 0;          // bytes on that line
  bool plain = false;      // a YAML scalar without quotes
  bool from_text = false;  // the value of a variable that has no JSON type (environment, --var)

  bool is_null() const { return kind == Kind::kNull; }
  bool is_map() const { return kind == Kind::kMap; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_string() const { return kind == Kind::kString; }
  // A scalar that holds a variable whose value is not known yet: every type check is put off.
  bool is_deferred() const { return kind == Kind::kDeferred; }
  const Node* find(std::string_view key) const;
  std::string_view kind_name() const;  // "a string", "a list", …

  Place place() const;
  Json to_json() const;       // deferred nodes become their text
  bool has_deferred() const;  // itself or anything below
};

struct Node::Member {
  Node key;
  Node value;
};

// A parsed file: the nodes and the text they point into.
struct Document {
  std::shared_ptr<const Source> source;
  Node root;
};

}  // namespace assay
