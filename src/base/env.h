#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace assay {

// Where text for people and machines goes. Writes may fail (a closed pipe); `ok` tells, and later writes are dropped.
class Output {
 public:
  virtual ~Output() = default;
  virtual void write(std::string_view text) = 0;
  virtual bool is_terminal() const = 0;
  virtual int columns() const = 0;
  virtual bool ok() const = 0;
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

// Everything of the world the program may touch, built in main and handed down. A test builds another one.
struct Env {
  std::vector<std::string> args;  // without the program's name
  std::map<std::string, std::string, std::less<>> variables;
  std::filesystem::path cwd;
  std::filesystem::path program;  // this binary
  const Clock* clock = nullptr;
  Output* out = nullptr;
  Output* err = nullptr;
  int input_fd = -1;   // standard input; -1: none
  int signal_fd = -1;  // delivers one byte per SIGINT or SIGTERM, the signal's number; -1: none
  uint64_t entropy = 0;
  std::optional<std::string> unset{};  // what `${ENV.NAME}` is where NAME is not set; none: a mistake

  std::optional<std::string> variable(std::string_view name) const {
    auto it = variables.find(name);
    if (it == variables.end()) return std::nullopt;
    return it->second;
  }
};

// The real world: standard streams, the process's environment, the anchored monotonic clock.
Env system_env(int argc, char** argv);

}  // namespace assay
