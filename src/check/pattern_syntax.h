#pragma once
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace assay {

struct PatternSpan {
  size_t offset = 0;  // bytes, from 0
  size_t length = 1;
};

struct PatternSyntaxError {
  std::string message;
  PatternSpan span;
};

// `pattern` or `/pattern/flags` taken apart, in the notation both engines read (\u0041 became \x{0041}).
struct PatternSyntax {
  std::string body;
  bool ignore_case = false;
  bool multiline = false;
  bool dot_all = false;
  bool anchored = false;

  std::string_view source;  // the body as written, a view of the parsed text
  size_t source_offset = 0;
  // Where a piece of `body` stands in the parsed text.
  PatternSpan written(const PatternSpan& span) const;
};

// Text that merely starts with a slash (`/usr/bin`) is a plain pattern: what follows the last slash must be flags.
// A single unknown letter or flags in capitals behind the only closing slash are a mistake in the flags.
tl::expected<PatternSyntax, PatternSyntaxError> parse_pattern(std::string_view text);

}  // namespace assay
