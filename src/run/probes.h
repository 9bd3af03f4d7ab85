#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/env.h"
#include "model/case.h"
#include "model/transcript.h"

namespace assay {

enum class Grade { kPass, kWarn, kFail };

// Fails where a rule of severity error was broken, warns where another was.
Grade grade_of(const std::vector<Violation>& violations);

// What came of one probe of an endpoint.
struct ProbeResult {
  std::string name;
  Grade grade = Grade::kPass;
  Outcome outcome = Outcome::kSuccess;  // of its worst answer
  std::vector<std::string> notes;       // why, where the violations do not say it
  std::vector<Violation> violations;
  int events = 0;
  Duration duration{};
  bool answered = false;  // an HTTP response came
};

struct ProbePlan {
  AgentSpec agent;
  Limits limits;
  std::string message;  // what the user says
};

// Sends the probes one after the other, on this thread, and tells each as soon as it ends. Where the first one gets no
// stream (nobody answers, or HTTP says no) the others are left out. Answers the signal that cut it short, or 0.
int run_probes(const Env& env, const ProbePlan& plan, const std::function<void(const ProbeResult&)>& told);

}  // namespace assay
