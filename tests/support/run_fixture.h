#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "run/runner.h"
#include "support/files.h"
#include "support/loop_support.h"
#include "support/raw_server.h"
#include "support/serve_support.h"

namespace assay::test {

// A project in a directory of its own: a config, tests, and what became of them.
class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    env.variables = {{"PATH", "/usr/bin:/bin"}};
    env.cwd = std::filesystem::canonical(dir.path());
    env.clock = &clock;
  }

  void target(const std::string& url, const std::string& more = "") {
    assay::testing::write_file(dir / "assay.config.yaml", fmt::format("target:\n  endpoint: \"{}\"\n  retry: 1\n{}", url, more));
  }
  // An agent that plays the rules of serve's language; see tests/support/serve_support.h.
  void agent(const std::string& rule, const std::string& more = "") {
    server = serve_rule(rule);
    target(fmt::format("http://127.0.0.1:{}/agents/a", server->port()), more);
  }
  void test(const std::string& name, const std::string& yaml) {
    files.push_back(env.cwd / (name + ".test.yaml"));
    assay::testing::write_file(files.back().string(), yaml);
  }

  // The results in load order.
  std::vector<CaseResult> run() {
    auto config = load_config({&env, &secrets, std::nullopt, {}});
    if (!config) return ADD_FAILURE() << render_error(config.error()[0]), std::vector<CaseResult>();
    Suite suite(std::move(*config), env, secrets);
    for (const auto& error : suite.load(files, {}))
      ADD_FAILURE() << render_error(error);
    std::vector<const Case*> cases;
    for (const auto& c : suite.cases())
      cases.push_back(&c);
    std::vector<CaseResult> results(cases.size());
    EventQueue queue;
    Runner runner(suite, std::move(cases), options, env, queue, [](int) { ADD_FAILURE() << "the last resort"; });
    runner.start();
    for (;;) {
      auto event = queue.pop(kLong);
      if (!event) return ADD_FAILURE() << "nothing happens", results;
      if (std::holds_alternative<LoopEnded>(*event)) break;
      if (std::holds_alternative<CaseStarted>(*event)) ++started;
      if (auto* result = std::get_if<CaseResult>(&*event)) {
        finished.push_back(result->index);
        results[result->index] = std::move(*result);
      }
    }
    signal = runner.interrupt_signal();
    return results;
  }
  CaseResult run_one(const std::string& yaml) {
    test("one", yaml);
    auto results = run();
    return results.empty() ? CaseResult() : std::move(results[0]);
  }
  std::string file(const std::string& name) const { return assay::testing::read_file(dir / name); }

  assay::testing::TempDir dir;
  WallClock clock;
  Env env;
  Redactor secrets;
  RunOptions options;
  std::vector<std::filesystem::path> files;
  std::unique_ptr<ScriptServer> server;
  size_t started = 0;
  std::vector<size_t> finished;
  int signal = 0;
};

}  // namespace assay::test
