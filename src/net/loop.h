#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "base/cancel.h"
#include "base/env.h"

namespace assay {

// One conversation is one coroutine: no thread waits for it.
template <class T>
using Task = boost::asio::awaitable<T>;

// The event loop of one thread. Everything that belongs to a conversation happens here.
class Loop {
 public:
  explicit Loop(const Clock& clock) : clock_(clock) {}

  boost::asio::io_context& io() { return io_; }
  Time now() const { return clock_.now(); }
  const Clock& clock() const { return clock_; }
  void spawn(Task<void> task);  // an escaping exception ends the program: rooms do not throw across their edge
  void run() { io_.run(); }

 private:
  boost::asio::io_context io_{1};
  const Clock& clock_;
};

// Something one coroutine waits for and another part of the loop announces, once.
class Gate {
 public:
  explicit Gate(Loop& loop);
  void open();
  bool is_open() const { return open_; }
  Task<void> wait();

 private:
  boost::asio::steady_timer timer_;
  bool open_ = false;
};

// Returns when the time is over or the token is cancelled, whichever comes first.
Task<void> sleep_for(Loop& loop, Duration duration, CancelToken token);

// Cancels the token when the time is over, unless it goes out of scope before.
class Deadline {
 public:
  Deadline(Loop& loop, Duration duration, CancelToken token);

 private:
  boost::asio::steady_timer timer_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // the timer's handler may be queued already
};

}  // namespace assay
