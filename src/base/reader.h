#pragma once
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/node.h"
#include "base/time.h"

namespace assay {

// Turns nodes into values and collects every mistake with its place. The typed reads answer nothing where the node is
// of another type (a mistake was noted) or deferred (nothing was noted: the file is read again when variables are known).
class Reader {
 public:
  void error(const Node& at, std::string message, std::string hint = {});
  void add(Error error) { errors_.push_back(std::move(error)); }  // one noted by another reader
  const Errors& errors() const { return errors_; }
  Errors take_errors() { return std::move(errors_); }
  bool ok() const { return errors_.empty(); }

  // `what` names the value in the mistake: "`name` must be text, not a list".
  std::optional<std::string> text(const Node& node, std::string_view what);  // strings, and plain numbers and booleans as written
  std::optional<bool> boolean(const Node& node, std::string_view what);
  std::optional<double> number(const Node& node, std::string_view what);  // zero or more
  std::optional<int64_t> integer(const Node& node, std::string_view what, int64_t min, int64_t max = INT64_MAX);
  std::optional<Duration> milliseconds(const Node& node, std::string_view what);  // a number of ms, above zero
  std::optional<Duration> duration(const Node& node, std::string_view what);      // Go style text, above zero
  std::vector<std::string> texts(const Node& node, std::string_view what);        // a list of text
  std::vector<std::string> text_or_texts(const Node& node, std::string_view what);
  // One of the words, as an index.
  std::optional<size_t> word(const Node& node, std::string_view what, std::span<const std::string> words);
  bool map(const Node& node, std::string_view what);   // is it a map? (a mistake if not)
  bool list(const Node& node, std::string_view what);  // is it a list?
  void unknown_key(const Node& key, std::span<const std::string> known, std::string_view what);

 private:
  bool refuse(const Node& node, std::string_view what, std::string_view expected);
  Errors errors_;
};

// One key of an object in a file. The rows of a table validate, read, and feed schema and documentation.
template <class T>
struct Field {
  std::string_view name;
  std::string_view type;  // short schema: "text", "number", "boolean", "map", "any", "list of X", "X"
  std::string_view help;
  void (*read)(Reader&, const Node&, T&);
  enum Need { kOptional, kRequired } need = kOptional;
};

template <class T>
void read_fields(Reader& reader, const Node& node, T& out, std::span<const Field<T>> fields, std::string_view what) {
  if (!reader.map(node, what)) return;
  std::vector<std::string> names;
  for (const auto& field : fields)
    names.emplace_back(field.name);
  for (const auto& member : node.members) {
    const Field<T>* found = nullptr;
    for (const auto& field : fields)
      if (field.name == member.key.text) found = &field;
    if (found)
      found->read(reader, member.value, out);
    else
      reader.unknown_key(member.key, names, what);
  }
  for (const auto& field : fields)
    if (field.need == Field<T>::kRequired && !node.find(field.name))
      reader.error(node, std::string(what) + " needs `" + std::string(field.name) + "`");
}

}  // namespace assay
