#pragma once
#include <string>

#include "model/assert_block.h"
#include "model/result.h"
#include "model/transcript.h"

namespace assay {

// What a check looks at: one turn, or all turns together. A view: the transcript outlives it.
struct Scope {
  const Turn* first = nullptr;
  const Turn* last = nullptr;  // one past the end
  int turn = 0;                // from 1; 0: the whole test

  Time start() const { return first->start; }
  Time end() const { return (last - 1)->end; }
};
Scope turn_scope(const Transcript& transcript, size_t index);
Scope test_scope(const Transcript& transcript);

// A compiled predicate: immutable, shared by all runs of all cases, evaluated on any thread.
class Check {
 public:
  virtual ~Check() = default;
  virtual CheckResult evaluate(const Scope& scope) const = 0;
};

}  // namespace assay
