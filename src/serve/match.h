#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>

#include "serve/plan.h"
#include "serve/request.h"

namespace assay {

// Picks the rule for a request and counts how often rules with `times` played in a thread. For one thread of execution.
class RulePicker {
 public:
  // The index of the rule, -1 where none holds.
  int pick(const AgentScript& agent, const RunRequest& request);

 private:
  bool spend(const AgentScript& agent, int rule, const RunRequest& request);
  std::unordered_map<std::string, int64_t> played_;  // by agent, rule and thread
};

}  // namespace assay
