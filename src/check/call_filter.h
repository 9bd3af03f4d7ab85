#pragma once
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/matcher.h"
#include "check/pattern.h"

namespace assay {

// The conditions of `require` and `forbid_calls` over one call; all that are given must hold.
struct CallFilter {
  using ArgPattern = std::pair<std::string, Pattern>;  // by dotted path
  std::vector<ArgPattern> args_match;
  std::vector<ArgPattern> args_not_match;
  std::optional<Matcher> args;
  std::optional<std::set<std::string>> args_only;  // the paths that are allowed
  std::optional<Pattern> result_match;
  std::optional<Pattern> result_not_match;
  std::optional<Matcher> result;

  struct Answer {
    std::vector<std::string> reasons;  // why the call is not selected; empty: it is
    std::string limit;                 // a pattern gave up: nothing is known
  };
  Answer test(const ToolCall& call) const;
  // "argument "query" matching "weather" and a result matching "ok""; empty without conditions.
  std::string describe() const;
};

// Readers of its fields, for tables.
void read_arg_patterns(Reader& reader, const Node& node, std::string_view what, std::vector<CallFilter::ArgPattern>& out);

// The calls of a scope, in the order they started.
std::vector<const ToolCall*> calls_in(const Scope& scope);

}  // namespace assay
