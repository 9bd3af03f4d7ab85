#include "run/runner.h"

#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <thread>

#include "agent/throttle.h"
#include "net/http_client.h"
#include "run/case_run.h"
#include "run/live_stage.h"

namespace assay {
namespace asio = boost::asio;
namespace {

constexpr auto kTeardownPatience = std::chrono::seconds(10);

std::string skip_reason(CancelReason reason) {
  return reason == CancelReason::kFailFast ? "not started: --fail-fast, another case did not pass"
                                           : "not started: the run was interrupted";
}

decltype(CaseServices::make_stage) stage_maker(const RunOptions& options) {
  if (options.replay)
    return
        [options](CaseServices&, const Case& c, std::string*) { return make_replay_stage(*options.replay, c, *options.secrets); };
  if (options.record)
    return [options](CaseServices& services, const Case& c, std::string* log) {
      return make_recording_stage(make_live_stage(services, c, log), *options.record, c, *options.secrets);
    };
  return make_live_stage;
}

}  // namespace

class Runner::Impl {
 public:
  Impl(const Suite& suite, std::vector<const Case*> cases, RunOptions options, const Env& env, EventQueue& queue,
       LastResort last_resort)
      : cases_(std::move(cases)),
        options_(options),
        env_(env),
        queue_(queue),
        last_resort_(std::move(last_resort)),
        loop_(*env.clock),
        http_(loop_),
        throttle_(loop_, suite.config().max_per_second),
        decoder_(suite.config().limits.json),
        random_(options.seed),
        services_{loop_,
                  {&loop_, &http_, &throttle_, &random_},
                  decoder_,
                  suite,
                  env,
                  processes_,
                  random_,
                  options.timeout,
                  options.debug,
                  teardown_,
                  stage_maker(options)},
        signals_(loop_.io()) {}

  ~Impl() {
    if (thread_.joinable()) thread_.join();
  }

  void start() {
    thread_ = std::thread([this] { run(); });
  }

  int interrupt_signal() const { return signal_; }

 private:
  void run() {
    watch_signals();
    take_signal();  // one that came before: nothing starts
    workers_ = std::min(std::max<size_t>(options_.parallel, 1), std::max<size_t>(cases_.size(), 1));
    for (size_t i = 0, n = workers_; i < n; ++i)
      loop_.spawn(work());
    queue_.push(LoopEnded{drive()});
  }

  // What a library throws out of memory or descriptors must not cost the results that are there.
  std::string drive() {
    try {
      loop_.run();
      return {};
    } catch (const std::exception& e) {
      processes_.kill_all();
      return e.what();
    }
  }

  // One of `parallel` workers: takes the next case until there is none.
  Task<void> work() {
    while (next_ < cases_.size()) {
      const Case& c = *cases_[next_++];
      std::string reason = stop_.cancelled() ? skip_reason(stop_.reason()) : c.skip;
      if (!reason.empty()) {
        skip(c, reason);
        continue;
      }
      queue_.push(CaseStarted{c.index});
      CaseResult result = co_await run_case(services_, c, stop_);
      bool stops = options_.fail_fast && !result.passed() && result.status != Status::kSkipped;
      queue_.push(std::move(result));
      if (stops) stop_.cancel(CancelReason::kFailFast);
    }
    if (--workers_ == 0) finish();
  }

  void skip(const Case& c, std::string reason) {
    CaseResult result = blank_result(c);
    result.status = Status::kSkipped;
    result.error = std::move(reason);
    queue_.push(std::move(result));
  }

  void finish() {
    boost::system::error_code ignored;
    signals_.close(ignored);
    teardown_deadline_.reset();
  }

  void watch_signals() {
    if (env_.signal_fd < 0) return;
    signals_.assign(dup(env_.signal_fd));
    wait_for_signal();
  }

  void wait_for_signal() {
    signals_.async_wait(asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code ec) {
      if (ec) return;
      take_signal();
      wait_for_signal();
    });
  }

  void take_signal() {
    char number = 0;
    if (signals_.is_open() && ::read(signals_.native_handle(), &number, 1) == 1) on_signal(number);
  }

  void on_signal(int number) {
    if (signal_ != 0) {
      processes_.kill_all();
      last_resort_(number);
      return;
    }
    signal_ = number;
    teardown_deadline_.emplace(loop_, kTeardownPatience, teardown_);
    stop_.cancel(CancelReason::kInterrupt);
  }

  std::vector<const Case*> cases_;
  RunOptions options_;
  const Env& env_;
  EventQueue& queue_;
  LastResort last_resort_;

  // The loop's own: touched by its thread only.
  Loop loop_;
  HttpClient http_;
  Throttle throttle_;
  EventDecoder decoder_;
  std::mt19937_64 random_;
  ProcessTable processes_;
  CancelToken stop_;
  CancelToken teardown_;
  CaseServices services_;
  std::optional<Deadline> teardown_deadline_;
  asio::posix::stream_descriptor signals_;
  size_t next_ = 0;
  size_t workers_ = 0;
  int signal_ = 0;
  std::thread thread_;
};

Runner::Runner(const Suite& suite, std::vector<const Case*> cases, RunOptions options, const Env& env, EventQueue& queue,
               LastResort last_resort)
    : impl_(std::make_unique<Impl>(suite, std::move(cases), options, env, queue, std::move(last_resort))) {}
Runner::~Runner() = default;
void Runner::start() { impl_->start(); }
int Runner::interrupt_signal() const { return impl_->interrupt_signal(); }

}  // namespace assay
