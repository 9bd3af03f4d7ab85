#pragma once
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <string_view>

#include "net/loop.h"
#include "net/spawn.h"

namespace assay {

// Told by the loop what a child process prints and when it ends.
class ChildSink {
 public:
  enum class Stream { kOut, kErr };
  virtual void on_output(Stream stream, std::string_view bytes) = 0;  // the view is valid during the call
  virtual void on_exit(ExitStatus status) = 0;                        // once; what it has printed by then was told before

 protected:
  ~ChildSink() = default;
};

// A command that runs beside everything else, in a process group of its own, until it is stopped. Its output is read as
// it comes, so it never blocks on a full pipe and nothing piles up here.
class ChildProcess {
 public:
  // The sink outlives the child.
  static Result<std::unique_ptr<ChildProcess>> start(Loop& loop, const ProcessSpec& spec, ChildSink& sink);
  ~ChildProcess();  // ends the group at once
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t group() const { return child_.pid; }
  // Ends the whole group: SIGTERM, and SIGKILL when the grace time is over or the token is cancelled.
  Task<void> stop(Duration grace, CancelToken hurry);

 private:
  ChildProcess(Loop& loop, Spawned child, ChildSink& sink);
  struct Reader;
  void watch_exit();
  void exited();
  void close();

  Loop& loop_;
  Spawned child_;
  ChildSink& sink_;
  std::shared_ptr<Reader> out_;
  std::shared_ptr<Reader> err_;
  boost::asio::posix::stream_descriptor exit_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // handlers may be queued already
  bool told_ = false;                                       // its exit
  bool ended_ = false;                                      // the whole group, and the leader is reaped
};

}  // namespace assay
