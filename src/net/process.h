#pragma once
#include <mutex>
#include <set>
#include <string>

#include "net/loop.h"
#include "net/spawn.h"

namespace assay {

struct ProcessEnd {
  enum class Kind { kExited, kSignalled, kCancelled, kOutputTooLong, kNotStarted };
  Kind kind = Kind::kExited;
  int code = 0;  // exit code or signal number
  std::string out;
  std::string err;
  std::string error;  // why it could not be started
};

// The groups that are alive, of all loops: an interrupt that will not wait must still reach them. Any thread.
class ProcessTable {
 public:
  void add(pid_t group);
  void remove(pid_t group);
  void kill_all();

 private:
  std::mutex mutex_;
  std::set<pid_t> groups_;
};

// The process groups that commands of one case were started in. What a command leaves running lives until `end` (or
// the destructor) ends it: SIGTERM, and SIGKILL shortly after.
class ProcessGroups {
 public:
  ProcessGroups(Loop& loop, ProcessTable& table) : loop_(loop), table_(table) {}
  ~ProcessGroups();
  ProcessGroups(const ProcessGroups&) = delete;
  ProcessGroups& operator=(const ProcessGroups&) = delete;

  // Runs a command in a group of its own until it exits or the token is cancelled. Done when the command itself has
  // exited, even if a child of it still holds the pipes. Stdin is empty.
  Task<ProcessEnd> run(ProcessSpec spec, CancelToken token);
  Task<void> end();

 private:
  Loop& loop_;
  ProcessTable& table_;
  std::set<pid_t> groups_;  // leaders are not reaped before the group ends, so their numbers stay ours
};

}  // namespace assay
