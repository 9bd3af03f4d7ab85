#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>

#include "model/result.h"

namespace assay {

struct CaseStarted {
  size_t index;
};
struct LoopEnded {
  std::string failure;  // what broke the loop itself; empty: nothing
};
using RunEvent = std::variant<CaseStarted, CaseResult, LoopEnded>;

// From the loops to the reporting side. Any thread.
class EventQueue {
 public:
  void push(RunEvent event) {
    {
      std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    ready_.notify_one();
  }

  // The next event, or nothing after `patience`.
  std::optional<RunEvent> pop(Duration patience) {
    std::unique_lock lock(mutex_);
    if (!ready_.wait_for(lock, patience, [&] { return !events_.empty(); })) return std::nullopt;
    RunEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

  bool empty() {
    std::lock_guard lock(mutex_);
    return events_.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<RunEvent> events_;
};

}  // namespace assay
