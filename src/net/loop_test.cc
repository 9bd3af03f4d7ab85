#include "net/loop.h"

#include <thread>

#include "support/loop_support.h"

namespace assay {
namespace {

using test::kLong;
using test::ms;
using LoopTest = test::LoopTest;

TEST_F(LoopTest, AGateLetsEveryoneThroughOnceItIsOpen) {
  Gate gate(loop);
  int through = 0;
  auto wait = [&]() -> Task<void> {
    co_await gate.wait();
    ++through;
  };
  auto open = [&]() -> Task<void> {
    co_await sleep_for(loop, ms(5), CancelToken());
    EXPECT_EQ(through, 0);
    gate.open();
    gate.open();
    co_return;
  };
  loop.spawn(wait());
  loop.spawn(wait());
  loop.spawn(open());
  turn();
  EXPECT_EQ(through, 2);
  run(wait());  // open before
  EXPECT_EQ(through, 3);
}

TEST_F(LoopTest, SleepsAtLeastThatLong) {
  Time start = clock.now();
  run(sleep_for(loop, ms(20), CancelToken()));
  EXPECT_GE(clock.now() - start, ms(20));
  run(sleep_for(loop, ms(-5), CancelToken()));
}

TEST_F(LoopTest, SleepEndsWhenTheTokenIsCancelled) {
  CancelToken token;
  auto cancel = [&]() -> Task<void> {
    co_await sleep_for(loop, ms(5), CancelToken());
    token.cancel(CancelReason::kInterrupt);
  };
  Time start = clock.now();
  loop.spawn(cancel());
  run(sleep_for(loop, kLong, token));
  run(sleep_for(loop, kLong, token));  // cancelled before
  EXPECT_LT(clock.now() - start, kLong);
}

TEST_F(LoopTest, ADeadlineCancelsUnlessItsScopeEndsBefore) {
  CancelToken late;
  CancelToken in_time;
  auto task = [&]() -> Task<void> {
    Deadline deadline(loop, ms(5), late);
    { Deadline other(loop, ms(5), in_time); }
    co_await sleep_for(loop, kLong, late);
  };
  run(task());
  EXPECT_EQ(late.reason(), CancelReason::kDeadline);
  EXPECT_FALSE(in_time.cancelled());
}

TEST_F(LoopTest, ADeadlineThatIsQueuedAlreadyStillEndsWithItsScope) {
  CancelToken token;
  // The deadline's time passes while the loop is busy, so both handlers are queued when the first one runs.
  auto deadline = std::make_unique<Deadline>(loop, ms(1), token);
  std::this_thread::sleep_for(ms(10));
  boost::asio::steady_timer first(loop.io(), ms(-100));
  first.async_wait([&](boost::system::error_code) { deadline.reset(); });
  turn();
  EXPECT_FALSE(token.cancelled());
}

TEST_F(LoopTest, ADeadlineHoldsNothingBack) {
  Time start = clock.now();
  auto task = [&]() -> Task<void> {
    Deadline deadline(loop, kLong, CancelToken());
    co_return;
  };
  run(task());  // the loop ends although the time is not over
  EXPECT_LT(clock.now() - start, kLong);
}

}  // namespace
}  // namespace assay
