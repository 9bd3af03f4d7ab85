#include "model/result.h"
#include "model/transcript.h"

namespace assay {

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSuccess: return "success";
    case Outcome::kInterrupt: return "interrupt";
    case Outcome::kCancelled: return "cancelled";
    case Outcome::kRunError: return "run_error";
    case Outcome::kTruncated: return "truncated";
    case Outcome::kEmpty: return "empty";
    case Outcome::kHttpError: return "http_error";
    case Outcome::kTransportError: return "transport_error";
    case Outcome::kTimeout: return "timeout";
  }
  return "";
}

std::string_view status_name(Status status) {
  switch (status) {
    case Status::kPassed: return "passed";
    case Status::kFailed: return "failed";
    case Status::kError: return "error";
    case Status::kTimeout: return "timeout";
    case Status::kSkipped: return "skipped";
  }
  return "";
}

std::string Turn::text() const {
  std::string out;
  for (const auto& message : messages) {
    if (message.text.empty()) continue;
    if (!out.empty()) out += '\n';
    out += message.text;
  }
  return out;
}

std::string Turn::final_text() const {
  for (auto it = messages.rbegin(); it != messages.rend(); ++it)
    if (!it->text.empty()) return it->text;
  return {};
}

void RunSummary::count(Status status) {
  switch (status) {
    case Status::kPassed: ++passed; break;
    case Status::kFailed: ++failed; break;
    case Status::kError: ++errors; break;
    case Status::kTimeout: ++timeouts; break;
    case Status::kSkipped: ++skipped; break;
  }
}

}  // namespace assay
