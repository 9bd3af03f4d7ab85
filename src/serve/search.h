#pragma once
#include <memory>
#include <string_view>

#include "base/error.h"

namespace re2 {
class RE2;
}

namespace assay {

// A regular expression searched anywhere: `pattern` or `/pattern/flags` with the flags i, m and s.
// Cheap to copy, usable on any thread.
class Search {
 public:
  static Result<Search> compile(std::string_view text);
  bool found_in(std::string_view subject) const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace assay
