#include "net/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace assay {
namespace {

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

// A file in memory: the child reads as fast or as slowly as it likes, and nobody waits for it.
struct InputFile {
  int fd = -1;
  explicit InputFile(std::string_view text) {
    if (text.empty()) return;
    fd = memfd_create("assay-input", MFD_CLOEXEC);
    while (fd >= 0 && !text.empty()) {
      ssize_t n = ::write(fd, text.data(), text.size());
      if (n <= 0) break;
      text.remove_prefix(static_cast<size_t>(n));
    }
    if (fd >= 0) lseek(fd, 0, SEEK_SET);
  }
  ~InputFile() {
    if (fd >= 0) ::close(fd);
  }
};

int spawn(const ProcessSpec& spec, const Pipe& out, const Pipe& err, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  InputFile input(spec.input);
  if (input.fd >= 0)
    posix_spawn_file_actions_adddup2(&actions, input.fd, STDIN_FILENO);
  else
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

}  // namespace

Result<Spawned> spawn_group(const ProcessSpec& spec) {
  Pipe out;
  Pipe err;
  Spawned child;
  int failed = out.write < 0 || err.write < 0 ? errno : spawn(spec, out, err, child.pid);
  if (failed != 0) return fail(ErrorKind::kIo, fmt::format("cannot start {}: {}", spec.argv[0], std::strerror(failed)));
  child.out = out.take_read();
  child.err = err.take_read();
  return child;
}

bool reap(pid_t pid) {
  int status = 0;
  return waitpid(pid, &status, WNOHANG) != 0;
}

bool group_is_empty(pid_t group) { return kill(-group, 0) != 0 && errno == ESRCH; }

int open_pidfd(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

ExitStatus peek_status(int pidfd) {
  siginfo_t info{};
  waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(pidfd), &info, WEXITED | WNOWAIT);
  return {info.si_code == CLD_EXITED ? ExitStatus::Kind::kExited : ExitStatus::Kind::kSignalled, info.si_status};
}

}  // namespace assay
