#pragma once
#include "agent/stage.h"
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
  std::string* log;  // their stderr, with --debug
};

// Runs one hook or teardown command until it exits, its own timeout passes, or the token is cancelled.
Task<HookOutcome> run_hook(Loop& loop, HookShell& shell, Hook hook, CancelToken token);

// Runs the command of a stub: the call's arguments on stdin, its answer on stdout (JSON, or text as it is). A command
// that fails is a tool that fails: its error is the answer.
Task<ToolAnswer> run_stub(Loop& loop, HookShell& shell, ToolStub stub, Json arguments, CancelToken token);

}  // namespace assay
