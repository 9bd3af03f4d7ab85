#pragma once
#include <string>
#include <vector>

#include "base/env.h"

namespace assay {

// The exit codes CI systems see.
enum ExitCode : int { kExitPassed = 0, kExitFailed = 1, kExitUsage = 2, kExitBroken = 3 };

// One subcommand: a row in the table of program.cc and a file of its own. `args` do not hold its name.
int run_command(Env& env, const std::vector<std::string>& args);
int serve_command(Env& env, const std::vector<std::string>& args);
int demo_command(Env& env, const std::vector<std::string>& args);
int conform_command(Env& env, const std::vector<std::string>& args);

// The whole program, as main runs it.
int run_program(Env& env);

}  // namespace assay
