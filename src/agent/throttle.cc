#include "agent/throttle.h"

namespace assay {

Task<void> Throttle::pass(CancelToken token) {
  Time mine = Time::min();
  // A pause may be asked for while this turn waits: then it takes a new place behind the pause.
  do {
    mine = std::max({loop_.now(), next_, not_before_});
    if (spacing_ > Duration{}) next_ = mine + spacing_;
    for (Time now = loop_.now(); now < mine && !token.cancelled(); now = loop_.now())
      co_await sleep_for(loop_, mine - now, token);
  } while (mine < not_before_ && !token.cancelled());
}

}  // namespace assay
