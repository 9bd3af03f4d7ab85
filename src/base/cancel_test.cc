#include "base/cancel.h"

#include <gtest/gtest.h>

#include <optional>

namespace assay {
namespace {

TEST(Cancel, CallsEachOnceWithTheFirstReason) {
  CancelToken token;
  int calls = 0;
  auto one = token.on_cancel([&] { ++calls; });
  auto two = token.on_cancel([&] { ++calls; });
  EXPECT_FALSE(token.cancelled());
  token.cancel(CancelReason::kDeadline);
  token.cancel(CancelReason::kInterrupt);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(token.reason(), CancelReason::kDeadline);
}

TEST(Cancel, ADroppedRegistrationIsNotCalled) {
  CancelToken token;
  int calls = 0;
  {
    auto gone = token.on_cancel([&] { ++calls; });
  }
  auto kept = token.on_cancel([&] { calls += 10; });
  auto moved = std::move(kept);
  token.cancel(CancelReason::kFailFast);
  EXPECT_EQ(calls, 10);
}

TEST(Cancel, AssigningARegistrationDropsTheOldOne) {
  CancelToken token;
  int calls = 0;
  auto held = token.on_cancel([&] { ++calls; });
  held = token.on_cancel([&] { calls += 10; });
  held = CancelToken::Registration();
  token.cancel(CancelReason::kDeadline);
  EXPECT_EQ(calls, 0);
}

TEST(Cancel, CopiesShareTheState) {
  CancelToken token;
  CancelToken copy = token;
  copy.cancel(CancelReason::kInterrupt);
  EXPECT_TRUE(token.cancelled());
}

TEST(Cancel, ChildrenFollowButDoNotLead) {
  CancelToken parent;
  CancelToken child = parent.child();
  CancelToken other = parent.child();
  CancelToken grandchild = child.child();
  int calls = 0;
  auto registration = grandchild.on_cancel([&] { ++calls; });
  other.cancel(CancelReason::kDeadline);
  EXPECT_FALSE(parent.cancelled());
  EXPECT_FALSE(child.cancelled());
  parent.cancel(CancelReason::kInterrupt);
  EXPECT_EQ(grandchild.reason(), CancelReason::kInterrupt);
  EXPECT_EQ(other.reason(), CancelReason::kDeadline);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(parent.child().reason(), CancelReason::kInterrupt);
}

TEST(Cancel, AChildMayOutliveItsParent) {
  std::optional<CancelToken> parent(std::in_place);
  CancelToken child = parent->child();
  parent.reset();
  child.cancel(CancelReason::kDeadline);
  EXPECT_TRUE(child.cancelled());
}

TEST(Cancel, ACallbackMayDropOthersAndTheToken) {
  auto token = std::make_unique<CancelToken>();
  int calls = 0;
  CancelToken::Registration second;
  auto first = token->on_cancel([&] {
    ++calls;
    second = CancelToken::Registration();
    token.reset();
  });
  second = token->on_cancel([&] { calls += 10; });
  CancelToken copy = *token;
  copy.cancel(CancelReason::kDeadline);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace assay
