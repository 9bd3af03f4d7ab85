#pragma once
#include <functional>
#include <vector>

#include "load/suite.h"
#include "model/result.h"
#include "run/event_queue.h"
#include "tape/tape.h"

namespace assay {

struct RunOptions {
  size_t parallel = 1;
  Duration timeout = std::chrono::minutes(2);
  bool fail_fast = false;
  bool debug = false;
  uint64_t seed = 0;
  std::optional<TapeFolder> record{};
  std::optional<TapeFolder> replay{};
  const Redactor* secrets = nullptr;  // for tapes
};

// Told by the loop's thread when a second interrupt comes: ends the program at once.
using LastResort = std::function<void(int signal)>;

// Runs the cases on a loop thread of its own and sends what happens to the queue; the last event is LoopEnded.
// Cases that never start are reported as skipped, with the reason. The suite and the queue outlive the runner.
class Runner {
 public:
  Runner(const Suite& suite, std::vector<const Case*> cases, RunOptions options, const Env& env, EventQueue& queue,
         LastResort last_resort);
  ~Runner();  // waits for the thread

  void start();
  int interrupt_signal() const;  // 0: none came. Read it after LoopEnded

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
