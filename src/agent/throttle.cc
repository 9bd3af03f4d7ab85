#include "agent/throttle.h"

namespace assay {

Task<void> Throttle::pass(CancelToken token) {
  Time now = loop_.now();
  Time mine = std::max(now, next_);
  if (spacing_ > Duration{}) next_ = mine + spacing_;
  // A pause may be asked for while this turn waits: look again after waking.
  for (Time at = std::max(mine, not_before_); at > now && !token.cancelled(); at = std::max(mine, not_before_)) {
    co_await sleep_for(loop_, at - now, token);
    now = loop_.now();
  }
}

}  // namespace assay
