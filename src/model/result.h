#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "model/transcript.h"

namespace assay {

enum class Status { kPassed, kFailed, kError, kTimeout, kSkipped };
std::string_view status_name(Status status);

// What one check said. `message` names the tool or pattern, what was expected and what was found.
struct CheckResult {
  std::string type;  // "tools.require", "timing.max_duration_ms", …
  std::string name;  // label given by the user, may be empty
  bool passed = true;
  bool optional = false;  // reported, never fails the case
  Json expected;
  Json actual;
  std::string message;
  int turn = 0;  // from 1; 0: the whole test
  Place source;
};

// What a hook or teardown command did.
struct HookReport {
  std::string command;
  bool teardown = false;
  bool ok = true;
  std::string error;
  Duration duration{};
};

// Everything known about one finished case.
struct CaseResult {
  size_t index = 0;  // load order
  std::string id;
  std::string name;
  std::string file;
  int line = 1;
  std::vector<std::string> tags;
  Status status = Status::kPassed;
  std::string error;    // why it did not pass, or the reason of a skip
  Duration duration{};  // hooks included
  std::vector<CheckResult> checks;
  Transcript transcript;
  int messages_count = 0;  // of the whole conversation
  std::vector<HookReport> hooks;
  std::string log;  // with --debug: wire traffic and hooks' stderr, as it came

  bool passed() const { return status == Status::kPassed; }
};

// What a run is about, known before the first case starts.
struct RunInfo {
  size_t total = 0;
  std::string agent_id;
  Json environment;  // user_id, team_id, locale
  Json options;      // what was asked for, as shown in metadata
  Time started = kNoTime;
};

// The count of everything, when the run is over.
struct RunSummary {
  size_t total = 0;
  size_t passed = 0;
  size_t failed = 0;
  size_t errors = 0;
  size_t timeouts = 0;
  size_t skipped = 0;
  size_t flaky = 0;
  Time started = kNoTime;
  Time completed = kNoTime;
  std::string interrupted;  // "interrupted by SIGINT", or empty

  size_t not_passed() const { return failed + errors + timeouts; }
  void count(Status status);
};

}  // namespace assay
