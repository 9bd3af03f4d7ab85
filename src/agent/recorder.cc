#include "agent/recorder.h"

#include <fmt/format.h>

#include "base/text.h"

namespace assay {
namespace {

constexpr size_t kMostLog = 1u << 20;

}  // namespace

bool Recorder::on_event(std::string_view json, Time at) {
  AguiEvent event;
  auto status = decoder_.decode(json, event);
  if (status == EventDecoder::Status::kLimit) return refusal_ = decoder_.error(), false;
  if (status == EventDecoder::Status::kOk) {
    conformance_->add(event, at);
  } else {
    conformance_->unreadable(status, fmt::format("{}: {}", decoder_.error(), shorten(json, 80)), at);
    // It came, so the answer is not empty; what cannot be used is not folded.
    event.type = EventType::kUnknown;
  }
  int refused = collector_.refused_patches();
  collector_.add(event, at);
  if (collector_.refused_patches() > refused)
    conformance_->patch_not_applied(fmt::format("{} could not be applied: the state stays as it was", event.type_name));
  refusal_ = collector_.limit();
  return refusal_.empty();
}

void Recorder::begin_run(Turn& turn, ConformanceRequest request) {
  conformance_.emplace(turn.violations, std::move(request), turn.events);
}

void Recorder::end_run(const RunEnd& end) {
  for (const auto& id : collector_.unreadable_arguments())
    if (told_.insert(id).second) conformance_->arguments_not_json(id);
  ConformanceEnding ending{end.content_type,
                           end.kind != RunEnd::Kind::kHttpError && end.status / 100 == 2,
                           end.saw_carriage_return,
                           end.unterminated,
                           end.kind == RunEnd::Kind::kComplete,
                           end.ids_known};
  conformance_->end(ending);
}

void Recorder::on_log(std::string_view line) {
  if (!log_ || log_->size() > kMostLog) return;
  *log_ += line;
  *log_ += '\n';
  if (log_->size() > kMostLog) *log_ += "(the rest of the log is left out)\n";
}

}  // namespace assay
