#pragma once
#include <functional>
#include <random>

#include "agent/agent.h"
#include "agent/decode.h"
#include "agent/stage.h"
#include "load/suite.h"
#include "model/result.h"
#include "net/process.h"

namespace assay {

// What the cases of one loop share.
struct CaseServices {
  Loop& loop;
  AgentServices agents;
  EventDecoder& decoder;
  const Suite& suite;
  const Env& env;
  ProcessTable& processes;
  std::mt19937_64& random;
  Duration timeout;      // of a case that sets none
  bool debug = false;    // keep the wire log
  CancelToken teardown;  // cancelled when an interrupt has waited long enough
  // The world a case meets: live, recorded, or from a tape.
  std::function<std::unique_ptr<Stage>(CaseServices&, const Case&, std::string* log)> make_stage;
};

// The life of one case: variables, hooks, turns, checks, teardown, result. `stop` cuts it; the services and the case
// outlive the call.
Task<CaseResult> run_case(CaseServices& services, const Case& c, CancelToken stop);

// A result that says nothing but who it is.
CaseResult blank_result(const Case& c);

}  // namespace assay
