#include "net/loop.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace assay {
namespace asio = boost::asio;

void Loop::spawn(Task<void> task) {
  asio::co_spawn(io_, std::move(task), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
}

Gate::Gate(Loop& loop) : timer_(loop.io(), asio::steady_timer::time_point::max()) {}

void Gate::open() {
  open_ = true;
  timer_.cancel();
}

Task<void> Gate::wait() {
  while (!open_)
    co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
}

Task<void> sleep_for(Loop& loop, Duration duration, CancelToken token) {
  if (token.cancelled()) co_return;
  asio::steady_timer timer(loop.io(), duration);
  auto registration = token.on_cancel([&timer] { timer.cancel(); });
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

Deadline::Deadline(Loop& loop, Duration duration, CancelToken token) : timer_(loop.io(), duration) {
  timer_.async_wait([token, alive = std::weak_ptr<char>(alive_)](boost::system::error_code ec) mutable {
    if (!ec && !alive.expired()) token.cancel(CancelReason::kDeadline);
  });
}

}  // namespace assay
