#pragma once
#include <chrono>
#include <cstdint>

namespace assay {

using Duration = std::chrono::microseconds;

// Tag of our time scale: the monotonic clock, anchored once to Unix time when the process starts.
// Differences are never disturbed by somebody setting the wall clock, and a time can be shown as Unix ms.
struct AnchoredClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<AnchoredClock, duration>;
  static constexpr bool is_steady = true;
};
using Time = AnchoredClock::time_point;

inline constexpr Time kNoTime = Time::min();

inline int64_t unix_ms(Time t) { return std::chrono::floor<std::chrono::milliseconds>(t.time_since_epoch()).count(); }
inline double to_ms(Duration d) { return static_cast<double>(d.count()) / 1000.0; }
inline Duration from_ms(double ms) { return Duration(static_cast<int64_t>(ms * 1000.0)); }

}  // namespace assay
