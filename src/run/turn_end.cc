#include "run/turn_end.h"

#include <fmt/format.h>

namespace assay {
namespace {

std::string sentence(const Collector::Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::kSuccess:
    case Outcome::kInterrupt: return {};
    case Outcome::kEmpty: return "the stream holds no event";
    case Outcome::kTruncated: return "the stream ended without RUN_FINISHED or RUN_ERROR";
    case Outcome::kRunError: return "the agent reported RUN_ERROR: " + verdict.error;
    default: return verdict.error;
  }
}

}  // namespace

TurnEnd turn_end(const RunEnd& answer, const Collector::Verdict& verdict, Refused refused) {
  using Kind = RunEnd::Kind;
  bool said_its_end = verdict.outcome != Outcome::kTruncated && verdict.outcome != Outcome::kEmpty;
  if (answer.kind == Kind::kHttpError) return {Outcome::kHttpError, answer.message};
  if (answer.kind == Kind::kTimeout || answer.kind == Kind::kCancelled) return {Outcome::kTimeout, answer.message};
  // An agent that has said how its run ended is believed, however the connection ended.
  if (answer.kind == Kind::kTransportError && (!said_its_end || refused == Refused::kYes))
    return {Outcome::kTransportError, answer.message};
  std::string error = sentence(verdict);
  if (!error.empty() && !answer.message.empty()) error += fmt::format(" ({})", answer.message);
  return {verdict.outcome, error};
}

}  // namespace assay
