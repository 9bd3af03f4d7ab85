#pragma once
#include "model/case.h"
#include "model/result.h"
#include "net/process.h"

namespace assay {

// Where a case's commands run, and what they leave behind.
struct HookShell {
  const Env& env;
  ProcessGroups& groups;
  std::string directory;
  size_t max_output;
  Variables& variables;  // what hooks print is merged into them
  std::string* log;      // their stderr, with --debug
};

// Runs one hook or teardown command until it exits, its own timeout passes, or the token is cancelled.
Task<HookReport> run_hook(Loop& loop, HookShell& shell, Hook hook, CancelToken token);

}  // namespace assay
