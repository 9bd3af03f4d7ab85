#include "agent/recorder.h"

#include <fmt/format.h>

#include "base/text.h"

namespace assay {
namespace {

constexpr size_t kMostLog = 1u << 20;
constexpr size_t kMostViolations = 1000;  // of a turn: garbage may come without end

std::string_view rule_of(EventDecoder::Status status) {
  switch (status) {
    case EventDecoder::Status::kNotJson: return "not-json";
    case EventDecoder::Status::kNotObject: return "not-object";
    default: return "no-type";
  }
}

}  // namespace

bool Recorder::on_event(std::string_view json, Time at) {
  AguiEvent event;
  auto status = decoder_.decode(json, event);
  if (status == EventDecoder::Status::kLimit) return refusal_ = decoder_.error(), false;
  if (status != EventDecoder::Status::kOk) {
    violation(rule_of(status), Severity::kError, at, fmt::format("{}: {}", decoder_.error(), shorten(json, 80)));
    // It came, so the answer is not empty; what cannot be used is not folded.
    event.type = EventType::kUnknown;
  }
  collector_.add(event, at);
  refusal_ = collector_.limit();
  return refusal_.empty();
}

void Recorder::violation(std::string_view rule, Severity severity, Time at, std::string message) {
  if (turn_->violations.size() < kMostViolations)
    turn_->violations.push_back({std::string(rule), severity, turn_->events, at, std::move(message)});
}

void Recorder::on_log(std::string_view line) {
  if (!log_ || log_->size() > kMostLog) return;
  *log_ += line;
  *log_ += '\n';
  if (log_->size() > kMostLog) *log_ += "(the rest of the log is left out)\n";
}

}  // namespace assay
