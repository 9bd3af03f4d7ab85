#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/env.h"
#include "base/error.h"
#include "base/redact.h"
#include "model/launch.h"
#include "model/result.h"

namespace assay {

// Takes each line the application prints, on the launch's own thread; what it does not take in time holds the
// application up.
using LaunchLog = std::function<void(std::string_view line)>;

// The application under test, started and ready. It lives on a thread of its own until the destructor has stopped its
// whole process group: SIGTERM, and SIGKILL when the grace time is over or another signal comes.
class Launch {
 public:
  // Returns when the application is ready, or with why it is not (it is stopped then). A signal ends the waiting too,
  // and stays unread: the runner finds it and starts nothing. `log` may be empty.
  static Result<std::unique_ptr<Launch>> start(const LaunchSpec& spec, const Env& env, const Redactor& secrets, LaunchLog log);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // At once, without waiting. Any thread.
  void kill();
  // Where the application has died and the agent broke because of it, the case's error says so. One thread only.
  void explain(CaseResult& result);

 private:
  class Impl;
  explicit Launch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
