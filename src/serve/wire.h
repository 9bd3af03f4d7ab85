#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "net/http_server.h"

namespace assay {

// How a stream's events become bytes.
struct Wire {
  std::string_view newline = "\n";
  bool comments = false;   // a keep-alive comment before every event
  bool bom = false;        // a byte order mark first
  bool last_blank = true;  // false: the last line end is missing, so the last event is not closed
  bool gzip = false;
  size_t split = 0;           // bytes in one write; 0: as it comes
  bool split_random = false;  // from one byte to a few dozen
  std::string_view content_type = "text/event-stream";
};

// The stream with everything done to it that is done to bytes, whatever they mean.
std::unique_ptr<HttpStream> make_wire_stream(std::unique_ptr<HttpStream> stream, const Wire& wire, uint64_t seed);

}  // namespace assay
