#include "run/turn_end.h"

#include <fmt/format.h>

namespace assay {
namespace {

// `answer.message` says where it came from and how; a recorded stream has none.
std::string sentence(const Collector::Verdict& verdict, const std::string& from) {
  auto with = [&](std::string text) { return from.empty() ? text : fmt::format("{} ({})", text, from); };
  switch (verdict.outcome) {
    case Outcome::kSuccess:
    case Outcome::kInterrupt: return {};
    case Outcome::kEmpty: return from.empty() ? "the stream holds no event" : fmt::format("no event came from {}", from);
    case Outcome::kTruncated:
      return fmt::format("the stream ended without RUN_FINISHED or RUN_ERROR{}{}", from.empty() ? "" : ": ", from);
    case Outcome::kRunError: return with("the agent reported RUN_ERROR: " + verdict.error);
    default: return with(verdict.error);
  }
}

}  // namespace

TurnEnd turn_end(const RunEnd& answer, const Collector::Verdict& verdict, Refused refused) {
  using Kind = RunEnd::Kind;
  bool said_its_end = verdict.outcome != Outcome::kTruncated && verdict.outcome != Outcome::kEmpty;
  if (answer.kind == Kind::kBroken) return {Outcome::kTransportError, answer.message};
  if (answer.kind == Kind::kHttpError) return {Outcome::kHttpError, answer.message};
  if (answer.kind == Kind::kTimeout || answer.kind == Kind::kCancelled) return {Outcome::kTimeout, answer.message};
  // An agent that has said how its run ended is believed, however the connection ended.
  if (answer.kind == Kind::kTransportError && (!said_its_end || refused == Refused::kYes))
    return {Outcome::kTransportError, answer.message};
  return {verdict.outcome, sentence(verdict, answer.message)};
}

}  // namespace assay
