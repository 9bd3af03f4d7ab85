#include "net/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>

namespace assay {
namespace asio = boost::asio;
namespace {

constexpr auto kGrace = std::chrono::milliseconds(200);
constexpr auto kPoll = std::chrono::milliseconds(10);

bool reap(pid_t pid) {
  int status = 0;
  return waitpid(pid, &status, WNOHANG) != 0;
}

bool group_is_empty(pid_t group) { return kill(-group, 0) != 0 && errno == ESRCH; }

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) == 0) read = fds[0], write = fds[1];
  }
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }
  int take_read() { return std::exchange(read, -1); }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts)
    out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// The signal state of a child: nothing blocked, nothing ignored, a group of its own.
void set_attributes(posix_spawnattr_t& attributes) {
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (int number : {SIGPIPE, SIGINT, SIGTERM})
    sigaddset(&defaults, number);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

int spawn(const ProcessSpec& spec, const Pipe& out, const Pipe& err, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, spec.directory.c_str());
  set_attributes(attributes);
  int failed = posix_spawnp(&pid, spec.argv[0].c_str(), &actions, &attributes, pointers(spec.argv).data(),
                            pointers(spec.environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

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

// The exit status, without reaping: the number must stay ours while the group lives.
void read_status(int pidfd, ProcessEnd& end) {
  siginfo_t info{};
  waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(pidfd), &info, WEXITED | WNOWAIT);
  end.code = info.si_status;
  end.kind = info.si_code == CLD_EXITED ? ProcessEnd::Kind::kExited : ProcessEnd::Kind::kSignalled;
}

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
  Pipe out;
  Pipe err;
  pid_t pid = -1;
  int failed = out.write < 0 || err.write < 0 ? errno : spawn(spec, out, err, pid);
  if (failed != 0) {
    end.kind = ProcessEnd::Kind::kNotStarted;
    end.error = fmt::format("cannot start {}: {}", spec.argv[0], std::strerror(failed));
    co_return end;
  }
  groups_.insert(pid);
  table_.add(pid);
  ::close(std::exchange(out.write, -1));
  ::close(std::exchange(err.write, -1));

  auto stop = ProcessEnd::Kind::kExited;
  CancelToken ending = token.child();
  auto too_long = [&] {
    stop = ProcessEnd::Kind::kOutputTooLong;
    ending.cancel(CancelReason::kDeadline);
  };
  Collected stdout_text(loop_, out.take_read(), spec.max_output, too_long);
  Collected stderr_text(loop_, err.take_read(), spec.max_output, too_long);
  asio::posix::stream_descriptor exited(loop_.io(), static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));

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
  read_status(exited.native_handle(), end);
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
