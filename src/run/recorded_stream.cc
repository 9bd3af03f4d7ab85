#include "run/recorded_stream.h"

#include <fmt/format.h>

#include "base/text.h"
#include "run/turn_end.h"

namespace assay {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

RecordedStream::RecordedStream(Form form, const Limits& limits)
    : form_(form),
      limits_(limits),
      decoder_(limits.json),
      collector_(transcript_, decoder_),
      recorder_(collector_, decoder_, nullptr),
      parser_(limits.event_bytes) {
  collector_.begin_turn(nullptr, "", Time());
  recorder_.begin_run(transcript_.turns.back(), ConformanceRequest{});
}

bool RecordedStream::feed(std::string_view bytes) {
  if (!refusal_.empty()) return false;
  total_ += bytes.size();
  if (total_ > limits_.turn_bytes) return refused("turn_bytes: more than {} bytes in one turn", limits_.turn_bytes);
  return form_ == Form::kSse ? taken(parser_.feed(bytes, *this)) : feed_lines(bytes);
}

bool RecordedStream::feed_lines(std::string_view bytes) {
  for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    partial_ += bytes.substr(0, end);
    if (!line(partial_)) return false;
    partial_.clear();
    bytes.remove_prefix(end + 1);
  }
  partial_ += bytes;
  return partial_.size() <= limits_.event_bytes || refused("event_bytes: an event is longer than {} bytes", limits_.event_bytes);
}

bool RecordedStream::line(std::string_view text) {
  if (std::exchange(first_line_, false) && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  text = trim(text);
  if (text.size() > limits_.event_bytes) return refused("event_bytes: an event is longer than {} bytes", limits_.event_bytes);
  if (text.empty() || on_data(text)) return true;
  refusal_ = recorder_.refusal();
  return false;
}

bool RecordedStream::taken(SseParser::Status status) {
  if (status == SseParser::Status::kTooLong) return refused("event_bytes: an event is longer than {} bytes", limits_.event_bytes);
  if (status == SseParser::Status::kStopped) refusal_ = recorder_.refusal();
  return refusal_.empty();
}

bool RecordedStream::refused(std::string_view limit, size_t bytes) {
  refusal_ = fmt::format(fmt::runtime(limit), bytes);
  return false;
}

const Turn& RecordedStream::finish() {
  if (refusal_.empty() && form_ == Form::kSse) taken(parser_.finish(*this));
  if (refusal_.empty() && form_ == Form::kLines) line(partial_);
  Collector::Verdict verdict = collector_.end_run();
  RunEnd end;
  end.kind = refusal_.empty() ? RunEnd::Kind::kComplete : RunEnd::Kind::kTransportError;
  end.message = refusal_;
  end.saw_carriage_return = parser_.saw_carriage_return();
  end.unterminated = parser_.last_was_unterminated();
  end.status = 200;
  end.content_type = "text/event-stream";
  recorder_.end_run(end);
  TurnEnd how = turn_end(end, verdict, refusal_.empty() ? Refused::kNo : Refused::kYes);
  collector_.end_turn(how.outcome, how.error, Time());
  return transcript_.turns.back();
}

}  // namespace assay
