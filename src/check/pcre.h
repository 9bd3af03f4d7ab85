#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "check/pattern.h"
#include "check/pattern_syntax.h"

namespace assay {

struct PcreError {
  std::string message;
  size_t offset = 0;  // into the body
};

// The backtracking engine, with limits. Immutable; usable on any thread. The only user of PCRE2.
class Pcre {
 public:
  static tl::expected<Pcre, PcreError> compile(const PatternSyntax& syntax);
  Pattern::Match search(std::string_view valid_utf8) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace assay
