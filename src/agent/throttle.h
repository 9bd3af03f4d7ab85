#pragma once
#include "net/loop.h"

namespace assay {

// The rate at which turns start: `max_per_second`, and the pauses that 429 answers ask for. One for all cases of a loop.
class Throttle {
 public:
  Throttle(Loop& loop, double max_per_second)
      : loop_(loop), spacing_(max_per_second > 0 ? Duration(static_cast<int64_t>(1e6 / max_per_second)) : Duration{}) {}

  // Waits for this turn's place in the row.
  Task<void> pass(CancelToken token);
  // Nobody starts before then.
  void pause_until(Time time) { not_before_ = std::max(not_before_, time); }

 private:
  Loop& loop_;
  Duration spacing_;
  Time next_ = Time::min();
  Time not_before_ = Time::min();
};

}  // namespace assay
