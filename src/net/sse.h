#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

// Takes the data of each server-sent event; the view is valid during the call. False: stop, nothing more is wanted.
class SseSink {
 public:
  virtual bool on_data(std::string_view data) = 0;

 protected:
  ~SseSink() = default;
};

// Splits a byte stream into events, incrementally: CR, LF and CRLF end lines, comments and other fields are ignored,
// several data lines are joined, bytes may be cut anywhere. An event that lies within one piece is not copied.
class SseParser {
 public:
  explicit SseParser(size_t max_event_bytes) : max_event_bytes_(max_event_bytes) {}

  enum class Status { kOk, kTooLong, kStopped };
  // Another status than kOk is the end: feed nothing more.
  Status feed(std::string_view bytes, SseSink& sink);
  // The stream is over: a last event without its blank line counts.
  Status finish(SseSink& sink);

  bool saw_carriage_return() const { return saw_carriage_return_; }
  bool last_was_unterminated() const { return unterminated_; }

 private:
  Status lines(std::string_view bytes, SseSink& sink);
  Status line(std::string_view text, SseSink& sink);
  void add_data(std::string_view value);
  Status dispatch(SseSink& sink);
  void keep();  // what points into the piece survives it
  size_t held() const { return data_.size() + view_.size() + partial_.size(); }

  size_t max_event_bytes_;  // of an event's data so far and the line being read, its field name included
  std::string partial_;     // of a line whose end has not come yet
  std::string data_;        // joined data lines
  std::string_view view_;   // the only data line so far, still in the piece being fed
  bool has_data_ = false;
  bool has_view_ = false;
  bool skip_line_feed_ = false;
  bool at_start_ = true;
  bool saw_carriage_return_ = false;
  bool unterminated_ = false;
};

}  // namespace assay
