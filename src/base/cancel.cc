#include "base/cancel.h"

namespace assay {

struct CancelToken::State {
  CancelReason reason = CancelReason::kNone;
  uint64_t next = 1;
  std::map<uint64_t, std::function<void()>> callbacks;
  Registration parent;
};

CancelToken::Registration::~Registration() {
  if (auto state = state_.lock()) state->callbacks.erase(id_);
}

CancelToken::CancelToken() : state_(std::make_shared<State>()) {}

CancelToken CancelToken::child() const {
  CancelToken out;
  if (cancelled()) return out.cancel(reason()), out;
  std::weak_ptr<State> weak = out.state_;
  out.state_->parent = on_cancel([weak, above = std::weak_ptr<State>(state_)] {
    auto state = weak.lock();
    auto from = above.lock();
    if (!state || !from) return;
    CancelToken token;
    token.state_ = state;
    token.cancel(from->reason);
  });
  return out;
}

CancelReason CancelToken::reason() const { return state_->reason; }

void CancelToken::cancel(CancelReason reason) {
  if (cancelled()) return;
  auto state = state_;  // a callback may drop the last owner
  state->reason = reason;
  // One at a time: a callback may remove others.
  while (!state->callbacks.empty()) {
    auto first = state->callbacks.begin();
    auto callback = std::move(first->second);
    state->callbacks.erase(first);
    callback();
  }
}

CancelToken::Registration CancelToken::on_cancel(std::function<void()> callback) const {
  Registration out;
  out.state_ = state_;
  out.id_ = state_->next++;
  state_->callbacks.emplace(out.id_, std::move(callback));
  return out;
}

}  // namespace assay
