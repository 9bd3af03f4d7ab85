#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "check/matcher.h"

namespace assay {

// A mismatch found below the top: where, and what was there.
struct MatchTrace {
  std::string path;  // dotted, of the value being looked at
  std::string why;

  Pattern::Match no(std::string_view expected, const Json* found);
  Pattern::Match limit(std::string_view pattern);
};

struct Matcher::Impl {
  virtual ~Impl() = default;
  // `value` null: it is missing. `trace.why` is set unless the answer is yes.
  virtual Pattern::Match match(const Json* value, MatchTrace& trace) const = 0;
  virtual std::string describe() const = 0;
};
using MatcherPtr = std::shared_ptr<const Matcher::Impl>;

// Null where a mistake was noted or the node is deferred.
MatcherPtr read_matcher(Reader& reader, const Node& node);
MatcherPtr read_equal(const Node& node);

// One operator of matchers. The rows validate, compile, and feed documentation.
struct MatchOperator {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  MatcherPtr (*read)(Reader&, const Node&);
};
const MatchOperator* find_operator(std::string_view name);

}  // namespace assay
