#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/json.h"
#include "cli/commands.h"
#include "support/files.h"

namespace assay::testing {

// What was written; a terminal if asked. Any thread may write and look.
class Captured final : public Output {
 public:
  void write(std::string_view more) override {
    std::lock_guard lock(mutex_);
    text_ += more;
  }
  bool is_terminal() const override { return terminal; }
  int columns() const override { return 80; }
  bool ok() const override { return true; }
  std::string text() const {
    std::lock_guard lock(mutex_);
    return text_;
  }

  bool terminal = false;

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

class RunningClock final : public Clock {
 public:
  Time now() const override {
    return Time(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
  }
};

// The whole program in a project of its own:
//   Cli cli;
//   cli.file("a.test.yaml", "name: a\n…");
//   EXPECT_EQ(cli.run({"run", "--dry-run"}), 0);
class Cli {
 public:
  Cli() {
    if (pipe2(signals_, O_CLOEXEC | O_NONBLOCK) != 0) ADD_FAILURE() << "no pipe";
    variables["PATH"] = "/usr/bin:/bin";
    variables["TMPDIR"] = dir.path();
  }
  ~Cli() { ::close(signals_[0]), ::close(signals_[1]); }
  Cli(const Cli&) = delete;
  Cli& operator=(const Cli&) = delete;

  void file(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(dir / name).parent_path());
    write_file(dir / name, text);
  }
  void target(int port, std::string_view more = {}) const {
    file("assay.config.yaml",
         "target:\n  endpoint: http://127.0.0.1:" + std::to_string(port) + "/agents/a\n" + std::string(more));
  }
  std::string read(const std::string& name) const { return read_file(dir / name); }

  int run(std::vector<std::string> args) {
    out_ = std::make_unique<Captured>(), err_ = std::make_unique<Captured>();
    out_->terminal = terminal;
    Env env;
    env.args = std::move(args);
    env.variables = variables;
    env.cwd = std::filesystem::path(dir.path()) / below;
    env.clock = &clock_;
    env.out = out_.get(), env.err = err_.get();
    env.signal_fd = signals_[0];
    env.input_fd = input_fd;
    env.entropy = 7;
    return run_program(env);
  }
  // As the handler of a signal does.
  void interrupt(int number) const {
    char byte = static_cast<char>(number);
    EXPECT_EQ(::write(signals_[1], &byte, 1), 1);
  }

  std::string out() const { return out_->text(); }
  std::string err() const { return err_->text(); }
  Json json() const {
    auto value = parse_json(out());
    EXPECT_TRUE(value) << out();
    return value ? *value : Json();
  }

  TempDir dir;
  std::string below;  // the working directory, below the project's
  std::map<std::string, std::string, std::less<>> variables;
  bool terminal = false;
  int input_fd = -1;

 private:
  RunningClock clock_;
  std::unique_ptr<Captured> out_, err_;
  int signals_[2] = {-1, -1};
};

}  // namespace assay::testing
