#include "base/env.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

extern char** environ;

namespace assay {
namespace {

int64_t clock_us(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return static_cast<int64_t>(ts.tv_sec) * 1'000'000 + ts.tv_nsec / 1000;
}

class SystemClock final : public Clock {
 public:
  Time now() const override { return Time(Duration(clock_us(CLOCK_MONOTONIC) + offset_)); }

 private:
  int64_t offset_ = clock_us(CLOCK_REALTIME) - clock_us(CLOCK_MONOTONIC);
};

class FdOutput final : public Output {
 public:
  explicit FdOutput(int fd) : fd_(fd), terminal_(isatty(fd) == 1) {}
  void write(std::string_view text) override {
    while (ok_ && !text.empty()) {
      ssize_t n = ::write(fd_, text.data(), text.size());
      if (n >= 0)
        text.remove_prefix(static_cast<size_t>(n));
      else if (errno != EINTR)
        ok_ = false;
    }
  }
  bool is_terminal() const override { return terminal_; }
  int columns() const override {
    winsize size{};
    return ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  }
  bool ok() const override { return ok_; }

 private:
  int fd_;
  bool terminal_;
  bool ok_ = true;
};

int signal_pipe[2] = {-1, -1};

extern "C" void on_signal(int number) {
  int saved = errno;
  auto byte = static_cast<char>(number);
  [[maybe_unused]] ssize_t n = ::write(signal_pipe[1], &byte, 1);
  errno = saved;
}

int install_signals() {
  if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  signal(SIGPIPE, SIG_IGN);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return signal_pipe[0];
}

// Ten thousand conversations are ten thousand sockets.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Env system_env(int argc, char** argv) {
  static const SystemClock clock;
  static FdOutput out(STDOUT_FILENO);
  static FdOutput err(STDERR_FILENO);
  raise_file_limit();
  Env env;
  env.args.assign(argv + 1, argv + argc);
  for (char** item = environ; *item; ++item) {
    std::string_view pair = *item;
    size_t equals = pair.find('=');
    if (equals != std::string_view::npos) env.variables.emplace(pair.substr(0, equals), pair.substr(equals + 1));
  }
  std::error_code ec;
  env.cwd = std::filesystem::current_path(ec);
  env.program = std::filesystem::read_symlink("/proc/self/exe", ec);
  env.clock = &clock;
  env.out = &out;
  env.err = &err;
  env.input_fd = STDIN_FILENO;
  env.signal_fd = install_signals();
  if (getrandom(&env.entropy, sizeof env.entropy, 0) != sizeof env.entropy)
    env.entropy = static_cast<uint64_t>(clock_us(CLOCK_REALTIME));
  return env;
}

}  // namespace assay
