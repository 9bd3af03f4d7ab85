#include "net/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace assay {
namespace asio = boost::asio;
namespace {

constexpr auto kGrace = std::chrono::milliseconds(200);
constexpr auto kPoll = std::chrono::milliseconds(10);

// Reads a pipe into a text until its end, or until the text is too long: then nothing more is read.
class Collected {
 public:
  Collected(Loop& loop, int fd, size_t limit, std::function<void()> too_long)
      : state_(std::make_shared<State>(loop, fd, limit, std::move(too_long))) {
    state_->pipe.non_blocking(true);
    read(state_);
  }
  ~Collected() { close(); }

  // What is there now, without waiting for a writer that may never close.
  std::string drain() {
    while (state_->pipe.is_open() && !state_->full() && state_->take()) {
    }
    close();
    return std::move(state_->text);
  }

 private:
  // Shared with the handler, which may run once more after the owner is gone.
  struct State {
    State(Loop& loop, int fd, size_t most, std::function<void()> call)
        : pipe(loop.io(), fd), limit(most), too_long(std::move(call)) {}
    bool full() const { return text.size() > limit; }
    bool take() {  // false: nothing there, or the end
      ssize_t n = ::read(pipe.native_handle(), buffer.data(), buffer.size());
      if (n > 0) text.append(buffer.data(), static_cast<size_t>(n));
      return n > 0;
    }
    asio::posix::stream_descriptor pipe;
    size_t limit;
    std::function<void()> too_long;
    std::string text;
    std::array<char, 16384> buffer;
  };

  void close() {
    boost::system::error_code ignored;
    state_->pipe.close(ignored);
    state_->too_long = nullptr;
  }

  static void read(std::shared_ptr<State> state) {
    State& s = *state;
    s.pipe.async_wait(asio::posix::stream_descriptor::wait_read, [state](boost::system::error_code ec) {
      if (!state->too_long || ec || !state->take()) return;
      if (!state->full()) return read(state);
      state->too_long();
    });
  }

  std::shared_ptr<State> state_;
};

}  // namespace

ProcessGroups::~ProcessGroups() {
  for (pid_t group : groups_) {
    kill(-group, SIGKILL);
    table_.remove(group);
    int status = 0;
    waitpid(group, &status, 0);
  }
}

Task<ProcessEnd> ProcessGroups::run(ProcessSpec spec, CancelToken token) {
  ProcessEnd end;
  auto child = spawn_group(spec);
  if (!child) {
    end.kind = ProcessEnd::Kind::kNotStarted;
    end.error = child.error().message;
    co_return end;
  }
  pid_t pid = child->pid;
  groups_.insert(pid);
  table_.add(pid);

  auto stop = ProcessEnd::Kind::kExited;
  CancelToken ending = token.child();
  auto too_long = [&] {
    stop = ProcessEnd::Kind::kOutputTooLong;
    ending.cancel(CancelReason::kDeadline);
  };
  Collected stdout_text(loop_, child->out, spec.max_output, too_long);
  Collected stderr_text(loop_, child->err, spec.max_output, too_long);
  asio::posix::stream_descriptor exited(loop_.io(), open_pidfd(pid));

  asio::steady_timer grace(loop_.io());
  auto terminate = [&, pid] {
    if (stop == ProcessEnd::Kind::kExited) stop = ProcessEnd::Kind::kCancelled;
    kill(-pid, SIGTERM);
    grace.expires_after(kGrace);
    grace.async_wait([pid](boost::system::error_code ec) {
      if (!ec) kill(-pid, SIGKILL);
    });
  };
  auto registration = ending.on_cancel(terminate);
  if (ending.cancelled()) terminate();
  co_await exited.async_wait(asio::posix::stream_descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
  grace.cancel();
  ExitStatus status = peek_status(exited.native_handle());
  end.code = status.code;
  end.kind = status.kind == ExitStatus::Kind::kExited ? ProcessEnd::Kind::kExited : ProcessEnd::Kind::kSignalled;
  if (stop != ProcessEnd::Kind::kExited) end.kind = stop;
  end.out = stdout_text.drain();
  end.err = stderr_text.drain();
  if (end.out.size() > spec.max_output || end.err.size() > spec.max_output) end.kind = ProcessEnd::Kind::kOutputTooLong;
  co_return end;
}

Task<void> ProcessGroups::end() {
  std::set<pid_t> left;
  for (pid_t group : std::exchange(groups_, {})) {
    kill(-group, SIGTERM);
    if (reap(group) && group_is_empty(group))
      table_.remove(group);
    else
      left.insert(group);
  }
  for (auto waited = Duration{}; !left.empty() && waited < kGrace; waited += kPoll) {
    co_await sleep_for(loop_, kPoll, CancelToken());
    std::erase_if(left, [this](pid_t group) {
      reap(group);
      bool empty = group_is_empty(group);
      if (empty) table_.remove(group);
      return empty;
    });
  }
  for (pid_t group : left) {
    kill(-group, SIGKILL);
    reap(group);
    table_.remove(group);
  }
}

void ProcessTable::add(pid_t group) {
  std::lock_guard lock(mutex_);
  groups_.insert(group);
}

void ProcessTable::remove(pid_t group) {
  std::lock_guard lock(mutex_);
  groups_.erase(group);
}

void ProcessTable::kill_all() {
  std::lock_guard lock(mutex_);
  for (pid_t group : groups_)
    kill(-group, SIGKILL);
}

}  // namespace assay
