#pragma once
#include <string>

#include "agent/agent.h"
#include "agent/collector.h"

namespace assay {

// How a turn of one answer ended, by what the transport and the agent said of it.
struct TurnEnd {
  Outcome outcome = Outcome::kSuccess;
  std::string error;  // a sentence, where it is not a success
};
enum class Refused { kNo, kYes };  // a limit ended the reading
TurnEnd turn_end(const RunEnd& answer, const Collector::Verdict& verdict, Refused refused);

}  // namespace assay
