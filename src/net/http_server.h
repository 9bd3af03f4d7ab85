#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace assay {

// A request as it stands in the connection's buffer: the views live until the handler returns.
struct HttpRequest {
  std::string_view method;
  std::string_view path;   // without the query, not decoded
  std::string_view query;  // what follows '?'
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  std::string_view body;

  std::string_view header(std::string_view name) const;  // empty where there is none
};

// What a stream wants after the bytes it has just handed out.
struct StreamStep {
  enum Kind {
    kMore,   // ask again, after `wait`
    kEnd,    // the body is complete
    kCut,    // close the connection without the end of the body
    kReset,  // the same, with a TCP reset
    kStall,  // send nothing more until the peer goes away
  };
  Kind kind = kMore;
  Duration wait{};
};

// A body made while it is sent. Asked on the server's thread; destroyed when it has ended or the peer went away.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // Appends bytes to `out`, which are sent at once: everything up to the next wait, or a good portion of it.
  virtual StreamStep next(std::string& out) = 0;
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::unique_ptr<HttpStream> stream;  // instead of `body`
  Duration delay{};                    // before the first byte
};

// Called on the server's thread, one request at a time; it must not block.
using HttpHandler = std::function<HttpReply(const HttpRequest&)>;

struct HttpServerOptions {
  std::string host = "127.0.0.1";  // an address, not a name
  int port = 0;                    // 0: a free one
  size_t body_limit = 64 << 20;
  int backlog = 16384;  // the kernel lowers it to net.core.somaxconn
};

// A small HTTP/1.1 server with one thread of its own: keep-alive, pipelining, chunked streams, no TLS.
class HttpServer {
 public:
  static Result<std::unique_ptr<HttpServer>> start(HttpHandler handler, const HttpServerOptions& options);
  ~HttpServer();  // stops
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // Closes every connection and ends the thread; later calls do nothing. Not from the handler.
  void stop();

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
