#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "serve/plan.h"

namespace assay {

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 0;                               // 0: a free one
  uint64_t seed = 0;                          // of everything that is random
  std::function<void(std::string_view)> log;  // one line for each request, on the server's thread; may be empty
};

// Plays the agents of a plan over HTTP on a thread of its own.
class ScriptServer {
 public:
  static Result<std::unique_ptr<ScriptServer>> start(std::shared_ptr<const ServePlan> plan, ServeOptions options);
  ~ScriptServer();  // stops
  ScriptServer(const ScriptServer&) = delete;
  ScriptServer& operator=(const ScriptServer&) = delete;

  int port() const;
  void stop();  // ends open streams; later calls do nothing

 private:
  struct Impl;
  explicit ScriptServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
