#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "net/loop.h"

namespace assay::test {

class WallClock final : public Clock {
 public:
  Time now() const override {
    return Time(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
  }
};

inline constexpr auto kLong = std::chrono::seconds(60);  // far more than anything here takes

inline Duration ms(int64_t n) { return std::chrono::milliseconds(n); }

// A loop of the test's own thread.
class LoopTest : public ::testing::Test {
 protected:
  template <class T>
  T run(Task<T> task) {
    std::optional<T> out;
    loop.spawn([](Task<T> inner, std::optional<T>& result) -> Task<void> { result.emplace(co_await std::move(inner)); }(
                                                               std::move(task), out));
    turn();
    return std::move(*out);
  }
  void run(Task<void> task) {
    loop.spawn(std::move(task));
    turn();
  }
  // Until nothing is left to wait for.
  void turn() {
    loop.io().restart();
    loop.run();
  }

  WallClock clock;
  Loop loop{clock};
};

}  // namespace assay::test
