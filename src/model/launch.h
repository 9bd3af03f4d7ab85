#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace assay {

// When a launched application counts as started.
struct LaunchReady {
  enum class Kind { kAtOnce, kUrl, kPort, kStdout, kStderr };
  Kind kind = Kind::kAtOnce;
  std::string url;                 // answers with a status below 500
  std::string host = "localhost";  // accepts connections
  int port = 0;
  std::string pattern;  // matches a line it prints; known to compile
};

// The application that is started before the first case and stopped after the last one.
struct LaunchSpec {
  std::vector<std::string> cmd;                          // argv, no shell
  std::vector<std::pair<std::string, std::string>> env;  // beside the environment of this process
  std::string directory;                                 // absolute
  std::optional<LaunchReady> ready;                      // none: where the target listens
  Duration timeout = std::chrono::seconds(60);           // until it is ready
  Duration grace = std::chrono::seconds(5);              // from SIGTERM to SIGKILL
  Place place;
};

}  // namespace assay
