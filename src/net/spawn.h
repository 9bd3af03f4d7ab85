#pragma once
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace assay {

struct ProcessSpec {
  std::vector<std::string> argv;         // no shell
  std::vector<std::string> environment;  // "K=V"
  std::string directory;
  size_t max_output = 10u << 20;  // stdout and stderr, each
  std::string input{};            // on stdin; empty: stdin is empty
};

// A command that was started as the leader of a process group of its own. The pipes are the caller's.
struct Spawned {
  pid_t pid = -1;
  int out = -1;  // reading ends
  int err = -1;
};
Result<Spawned> spawn_group(const ProcessSpec& spec);

// Collects the exit status of a leader that has ended. True: it has (or had before).
bool reap(pid_t pid);
// Nobody is left in the group. Of a leader that is not reaped something is left.
bool group_is_empty(pid_t group);

// How a process ended.
struct ExitStatus {
  enum class Kind { kExited, kSignalled };
  Kind kind = Kind::kExited;
  int code = 0;  // exit code or signal number
};
// Readable when the process has ended.
int open_pidfd(pid_t pid);
// Of one that has ended, without reaping it: its number must stay ours while its group lives.
ExitStatus peek_status(int pidfd);

}  // namespace assay
