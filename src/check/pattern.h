#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace assay {

// A compiled regular expression, searched anywhere: `pattern` or `/pattern/flags` (flags g i m s u y).
// RE2 runs it in linear time; what RE2 cannot express (look-around, back-references) runs on PCRE2 with a match limit.
// Immutable and cheap to copy; usable on any thread.
class Pattern {
 public:
  // The error's place is empty but for column and length, which point into `text` (from 1).
  static Result<Pattern> compile(std::string_view text);

  enum class Match { kYes, kNo, kLimit };
  Match search(std::string_view subject) const;
  const std::string& text() const;  // as written

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace assay
