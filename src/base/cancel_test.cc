#include "base/cancel.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Cancel, TellsEachOnceAndKeepsTheFirstReason) {
  CancelToken token;
  int calls = 0;
  auto one = token.on_cancel([&] { ++calls; });
  auto two = token.on_cancel([&] { calls += 10; });
  EXPECT_FALSE(token.cancelled());
  token.cancel(CancelReason::kInterrupt);
  token.cancel(CancelReason::kDeadline);
  EXPECT_EQ(calls, 11);
  EXPECT_EQ(token.reason(), CancelReason::kInterrupt);
}

TEST(Cancel, CopiesShareTheState) {
  CancelToken token;
  CancelToken copy = token;
  copy.cancel(CancelReason::kDeadline);
  EXPECT_TRUE(token.cancelled());
}

TEST(Cancel, ARegistrationEndsWithItsScope) {
  CancelToken token;
  int calls = 0;
  {
    auto gone = token.on_cancel([&] { ++calls; });
  }
  CancelToken::Registration moved;
  {
    auto kept = token.on_cancel([&] { calls += 10; });
    moved = std::move(kept);
  }
  token.cancel(CancelReason::kDeadline);
  EXPECT_EQ(calls, 10);
}

TEST(Cancel, ARegistrationMayOutliveTheToken) {
  CancelToken::Registration registration;
  {
    CancelToken token;
    registration = token.on_cancel([] { FAIL(); });
  }
}

TEST(Cancel, AChildFollowsItsParentAndNotTheOtherWay) {
  CancelToken parent;
  CancelToken first = parent.child();
  CancelToken second = parent.child();
  first.cancel(CancelReason::kDeadline);
  EXPECT_FALSE(parent.cancelled());
  EXPECT_FALSE(second.cancelled());
  int calls = 0;
  auto registration = second.child().on_cancel([&] { ++calls; });  // of a child that nobody holds
  CancelToken third = second.child();
  auto heard = third.on_cancel([&] { calls += 10; });
  parent.cancel(CancelReason::kFailFast);
  EXPECT_EQ(first.reason(), CancelReason::kDeadline);
  EXPECT_EQ(third.reason(), CancelReason::kFailFast);
  EXPECT_EQ(calls, 10);
}

TEST(Cancel, AChildOfACancelledTokenIsCancelled) {
  CancelToken parent;
  parent.cancel(CancelReason::kInterrupt);
  EXPECT_EQ(parent.child().reason(), CancelReason::kInterrupt);
}

TEST(Cancel, ACallbackMayRemoveOthersAndDropTheToken) {
  auto token = std::make_unique<CancelToken>();
  int calls = 0;
  CancelToken::Registration second;
  auto first = token->on_cancel([&] {
    ++calls;
    second = {};
    token.reset();
  });
  second = token->on_cancel([&] { calls += 10; });
  CancelToken copy = *token;
  copy.cancel(CancelReason::kDeadline);
  EXPECT_EQ(calls, 1);
}

TEST(Cancel, ACallbackMayCancelAgainAndCancelAnother) {
  CancelToken token;
  CancelToken other;
  int calls = 0;
  auto first = token.on_cancel([&] {
    ++calls;
    token.cancel(CancelReason::kInterrupt);
    other.cancel(token.reason());
  });
  auto second = other.on_cancel([&] { calls += 10; });
  token.cancel(CancelReason::kDeadline);
  EXPECT_EQ(calls, 11);
  EXPECT_EQ(other.reason(), CancelReason::kDeadline);
}

}  // namespace
}  // namespace assay
