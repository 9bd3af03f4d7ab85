#pragma once
#include <string>
#include <string_view>

#include "agent/recorder.h"
#include "net/sse.h"

namespace assay {

// An answer that was recorded somewhere, folded and judged without an agent: nothing was asked for, so no id is compared.
class RecordedStream final : private SseSink {
 public:
  enum class Form { kSse, kLines };  // the bytes of a response, or one event to a line
  RecordedStream(Form form, const Limits& limits);

  // In pieces of any size. False: a limit was passed, nothing more is wanted.
  bool feed(std::string_view bytes);
  // When all is fed, once. The turn lives as long as the stream.
  const Turn& finish();

 private:
  bool on_data(std::string_view data) override { return recorder_.on_event(data, Time()); }
  bool feed_lines(std::string_view bytes);
  bool line(std::string_view text);
  bool taken(SseParser::Status status);
  bool refused(std::string_view limit, size_t bytes);

  Form form_;
  Limits limits_;
  Transcript transcript_;
  EventDecoder decoder_;
  Collector collector_;
  Recorder recorder_;
  SseParser parser_;
  std::string partial_;  // of a line whose end has not come yet
  std::string refusal_;
  size_t total_ = 0;
  bool first_line_ = true;
};

}  // namespace assay
