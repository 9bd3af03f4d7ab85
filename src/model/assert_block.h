#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {

class Check;  // check/check.h
using CheckPtr = std::shared_ptr<const Check>;

// How an entry of a block reaches the scopes below the level it was written at.
enum class Reach {
  kRequirement,  // evaluated once, in the scope where it is written
  kList,         // a prohibition: accumulates downward
  kScalar,       // a limit: the lowest one wins
};

// The compiled `assert` of one level. An entry without a check is `false`: it switches an inherited one off.
struct AssertBlock {
  struct Entry {
    std::string key;  // "tools.forbid", "timing.max_idle_ms", …
    Reach reach = Reach::kRequirement;
    CheckPtr check;
  };
  std::vector<Entry> entries;
  std::optional<std::vector<std::string>> muted{};  // rules that `protocol` of this level switches off; "*": all
};

}  // namespace assay
