#include "net/sse.h"

#include <algorithm>
#include <cstring>

namespace assay {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";

// Where the first line end is; npos: none.
size_t line_end(std::string_view text) {
  const void* feed = std::memchr(text.data(), '\n', text.size());
  size_t limit = feed ? static_cast<size_t>(static_cast<const char*>(feed) - text.data()) : text.size();
  if (const void* cr = std::memchr(text.data(), '\r', limit))
    return static_cast<size_t>(static_cast<const char*>(cr) - text.data());
  return feed ? limit : std::string_view::npos;
}

}  // namespace

SseParser::Status SseParser::feed(std::string_view bytes, SseSink& sink) {
  Status status = lines(bytes, sink);
  keep();
  return status;
}

SseParser::Status SseParser::lines(std::string_view bytes, SseSink& sink) {
  while (!bytes.empty()) {
    if (skip_line_feed_) {
      skip_line_feed_ = false;
      if (bytes[0] == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    size_t end = line_end(bytes);
    // Whatever the pieces are, the same bytes pass the limit.
    if (held() + std::min(end, bytes.size()) > max_event_bytes_) return Status::kTooLong;
    if (end == std::string_view::npos) {
      partial_ += bytes;
      break;
    }
    if (bytes[end] == '\r') saw_carriage_return_ = skip_line_feed_ = true;
    Status status = Status::kOk;
    if (partial_.empty()) {
      status = line(bytes.substr(0, end), sink);
    } else {
      partial_ += bytes.substr(0, end);
      std::string whole;
      whole.swap(partial_);
      status = line(whole, sink);
      keep();
      whole.clear();
      partial_.swap(whole);  // its capacity is used again
    }
    if (status != Status::kOk) return status;
    bytes.remove_prefix(end + 1);
  }
  return Status::kOk;
}

SseParser::Status SseParser::finish(SseSink& sink) {
  if (!partial_.empty()) {
    std::string rest;
    rest.swap(partial_);
    if (Status status = line(rest, sink); status != Status::kOk) return status;
    keep();
  }
  unterminated_ = !data_.empty() || !view_.empty();
  return dispatch(sink);
}

SseParser::Status SseParser::line(std::string_view text, SseSink& sink) {
  if (at_start_) {
    at_start_ = false;
    if (text.substr(0, kBom.size()) == kBom) text.remove_prefix(kBom.size());
  }
  if (text.empty()) return dispatch(sink);
  if (text.substr(0, 4) != "data") return Status::kOk;
  if (text.size() == 4) return add_data({}), Status::kOk;
  if (text[4] != ':') return Status::kOk;
  text.remove_prefix(5);
  if (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  add_data(text);
  return Status::kOk;
}

void SseParser::add_data(std::string_view value) {
  if (!has_data_ && !has_view_) {
    view_ = value;
    has_view_ = true;
    return;
  }
  keep();
  data_ += '\n';
  data_ += value;
}

void SseParser::keep() {
  if (!has_view_) return;
  data_.assign(view_);
  view_ = {};
  has_view_ = false;
  has_data_ = true;
}

SseParser::Status SseParser::dispatch(SseSink& sink) {
  std::string_view data = has_view_ ? view_ : std::string_view(data_);
  bool any = (has_view_ || has_data_) && !data.empty();
  bool more = !any || sink.on_data(data);
  has_view_ = has_data_ = false;
  view_ = {};
  data_.clear();
  return more ? Status::kOk : Status::kStopped;
}

}  // namespace assay
