#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/loop.h"

namespace assay {

struct HttpPost {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  // posted as it is
  enum class Method { kPost, kGet } method = Method::kPost;
};

// How an exchange ended. A status of 0: no response came.
struct HttpEnd {
  // kRefused: nothing was sent. kCut: the peer closed the connection in the middle of its answer.
  enum class Kind { kComplete, kStopped, kCancelled, kRefused, kCut, kFailed };
  Kind kind = Kind::kComplete;
  int status = 0;
  std::string error;  // the cause, where it failed
  Time at = kNoTime;
};

// Gets a response as it arrives. Times are taken where bytes come out of the socket.
class HttpSink {
 public:
  virtual void on_header(std::string_view name, std::string_view value) = 0;
  virtual void on_status(int status) = 0;                      // before its headers
  virtual bool on_bytes(std::string_view bytes, Time at) = 0;  // false: abort the transfer

 protected:
  ~HttpSink() = default;
};

// A date as HTTP headers have it; nothing where it is none.
std::optional<Time> parse_http_date(const std::string& text);

// libcurl's multi interface on one loop: connections are reused, nothing blocks. Redirects are not followed.
class HttpClient {
 public:
  explicit HttpClient(Loop& loop);
  ~HttpClient();

  Task<HttpEnd> post(HttpPost request, HttpSink& sink, CancelToken token);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
