#pragma once
#include <memory>
#include <string>

#include "base/reader.h"
#include "check/pattern.h"

namespace assay {

// Compares a JSON value with what was written: a plain value means equal, an object of operators means all of them,
// any other object descends into its fields. Immutable and cheap to copy.
class Matcher {
 public:
  // Operators are recognised at this level.
  static std::optional<Matcher> read(Reader& reader, const Node& node);
  // The top level is always field names (args, result, state); `equals` escapes.
  static std::optional<Matcher> read_fields(Reader& reader, const Node& node);

  // Nothing where it matches, else why not: "total: expected > 100, found 20". `value` null: the value is missing.
  std::optional<std::string> mismatch(const Json* value) const;
  // The same with three answers: a pattern that ran into its limit decides nothing. `why` is set unless it matches.
  Pattern::Match match(const Json* value, std::string& why) const;
  // What was asked for, in words.
  std::string describe() const;

  struct Impl;

 private:
  explicit Matcher(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace assay
