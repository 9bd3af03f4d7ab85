#include "net/http_server.h"

#include <fmt/format.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <thread>
#include <unordered_set>

namespace assay {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using SteadyClock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<SteadyClock, asio::wait_traits<SteadyClock>, Executor>;
template <class T>
using Task = asio::awaitable<T, Executor>;
using Parser = http::request_parser<http::string_body>;
using Buffers = std::array<asio::const_buffer, 3>;

constexpr asio::use_awaitable_t<Executor> kAwait;
constexpr uint32_t kHeaderLimit = 64 << 10;
// A fast stream to a fast reader lets the others have their turn after so many writes.
constexpr int kWritesInARow = 16;
constexpr auto kAcceptPause = std::chrono::milliseconds(20);

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

struct Connection {
  explicit Connection(Socket s) : socket(std::move(s)), timer(socket.get_executor()) {}

  Socket socket;
  Timer timer;
  beast::flat_buffer input;
  HttpRequest request;
  std::string head;  // status line, header fields, the size of the first chunk
  std::string output;
  bool gone = false;      // the peer went away, or the server stops
  bool watching = false;  // somebody waits for the socket to become readable

  void leave() {
    gone = true;
    timer.cancel();
  }
};
using ConnectionPtr = std::shared_ptr<Connection>;

// While a stream pauses nobody reads: an end of file or an error that arrives then ends the pause.
void watch(const ConnectionPtr& c) {
  if (c->watching) return;
  c->watching = true;
  c->socket.async_wait(Socket::wait_read, [c](error_code ec) {
    c->watching = false;
    if (ec) return;
    char byte = 0;
    c->socket.receive(asio::buffer(&byte, 1), Socket::message_peek, ec);
    if (ec && ec != asio::error::would_block) c->leave();
  });
}

// False: the peer is gone.
Task<bool> pause(ConnectionPtr c, SteadyClock::time_point until) {
  watch(c);
  if (c->gone) co_return false;
  c->timer.expires_at(until);
  error_code ignored;
  co_await c->timer.async_wait(asio::redirect_error(kAwait, ignored));
  co_return !c->gone;
}

enum class Written { kAll, kPart, kFailed };

// The usual case without suspending: the kernel takes everything. What it took of a larger write is removed from `buffers`.
Written write_now(Connection& c, Buffers& buffers) {
  error_code ec;
  size_t n = c.socket.write_some(buffers, ec);
  if (ec && ec != asio::error::would_block) return Written::kFailed;
  for (auto& buffer : buffers) {
    size_t taken = std::min(n, buffer.size());
    buffer += taken;
    n -= taken;
  }
  return asio::buffer_size(buffers) == 0 ? Written::kAll : Written::kPart;
}

Task<bool> write_rest(ConnectionPtr c, Buffers buffers) {
  error_code ec;
  co_await asio::async_write(c->socket, buffers, asio::redirect_error(kAwait, ec));
  co_return !ec;
}

void reset(Connection& c) {
  error_code ignored;
  c.socket.set_option(asio::socket_base::linger(true, 0), ignored);
  c.socket.close(ignored);
}

void close_politely(Connection& c) {
  error_code ignored;
  c.socket.shutdown(Socket::shutdown_send, ignored);
  c.socket.close(ignored);
}

enum class Framing { kLength, kChunked, kUntilClose };

void write_head(const HttpReply& reply, Framing framing, bool keep_alive, std::string& out) {
  std::string_view reason = view(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(reply.status))));
  out.clear();
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n", reply.status, reason, reply.content_type);
  for (const auto& [name, value] : reply.headers)
    out.append(name).append(": ").append(value).append("\r\n");
  if (framing == Framing::kLength) fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", reply.body.size());
  if (framing == Framing::kChunked) out += "Transfer-Encoding: chunked\r\n";
  if (!keep_alive) out += "Connection: close\r\n";
  out += "\r\n";
}

// The pieces of one write: pending head, chunk size, bytes, chunk end and, with the last one, the end of the body.
Buffers frame(Connection& c, Framing framing, StreamStep::Kind kind) {
  if (framing != Framing::kChunked) return {asio::buffer(c.head), asio::buffer(c.output), {}};
  std::string_view tail = c.output.empty() ? "" : "\r\n";
  if (!c.output.empty()) fmt::format_to(std::back_inserter(c.head), "{:x}\r\n", c.output.size());
  if (kind == StreamStep::kEnd) tail = c.output.empty() ? "0\r\n\r\n" : "\r\n0\r\n\r\n";
  return {asio::buffer(c.head), asio::buffer(c.output), asio::buffer(tail)};
}

// True: the body is complete and the connection usable.
Task<bool> send_stream(ConnectionPtr c, std::unique_ptr<HttpStream> stream, Framing framing) {
  int writes = 0;
  while (true) {
    c->output.clear();
    StreamStep step = stream->next(c->output);
    Buffers buffers = frame(*c, framing, step.kind);
    Written written = write_now(*c, buffers);
    if (written == Written::kFailed) co_return false;
    if (written == Written::kPart) {
      bool ok = co_await write_rest(c, buffers);
      if (!ok) co_return false;
    }
    c->head.clear();
    if (step.kind == StreamStep::kReset) reset(*c);
    if (step.kind == StreamStep::kStall) co_await pause(c, SteadyClock::time_point::max());
    if (step.kind != StreamStep::kMore) co_return step.kind == StreamStep::kEnd;
    if (step.wait > Duration::zero()) {
      bool here = co_await pause(c, SteadyClock::now() + step.wait);
      if (!here) co_return false;
    } else if (++writes % kWritesInARow == 0) {
      co_await asio::post(c->socket.get_executor(), kAwait);
    }
  }
}

Task<bool> send_body(ConnectionPtr c, std::string body) {
  Buffers buffers = {asio::buffer(c->head), asio::buffer(body), {}};
  Written written = write_now(*c, buffers);
  if (written != Written::kPart) co_return written == Written::kAll;
  bool ok = co_await write_rest(c, buffers);
  co_return ok;
}

// True: the connection can take the next request.
Task<bool> send_reply(ConnectionPtr c, HttpReply reply, const Parser* parser) {
  if (reply.delay > Duration::zero()) {
    bool here = co_await pause(c, SteadyClock::now() + reply.delay);
    if (!here) co_return false;
  }
  bool keep_alive = parser && parser->get().keep_alive();
  bool chunks = parser && parser->get().version() >= 11;
  Framing framing = !reply.stream ? Framing::kLength : chunks ? Framing::kChunked : Framing::kUntilClose;
  if (framing == Framing::kUntilClose) keep_alive = false;
  write_head(reply, framing, keep_alive, c->head);
  if (parser && parser->get().method() == http::verb::head) reply.stream.reset(), reply.body.clear();
  bool sent = false;
  if (reply.stream)
    sent = co_await send_stream(c, std::move(reply.stream), framing);
  else
    sent = co_await send_body(c, std::move(reply.body));
  co_return sent&& keep_alive;
}

void fill_request(const Parser& parser, HttpRequest& out) {
  const auto& message = parser.get();
  std::string_view target = view(message.target());
  size_t mark = std::min(target.find('?'), target.size());
  out.method = view(message.method_string());
  out.path = target.substr(0, mark);
  out.query = target.substr(std::min(mark + 1, target.size()));
  out.headers.clear();
  for (const auto& field : message)
    out.headers.emplace_back(view(field.name_string()), view(field.value()));
  out.body = message.body();
}

HttpReply plain_error(int status, std::string_view message) {
  HttpReply reply;
  reply.status = status;
  reply.body = fmt::format("{{\"error\":\"{}\"}}", message);
  return reply;
}

HttpReply call(const HttpHandler& handler, const HttpRequest& request) {
  try {
    return handler(request);
  } catch (const std::exception&) {
    return plain_error(500, "the server failed");
  }
}

// Reads one request. An error of the HTTP category is the peer's mistake, any other one the end of the connection.
Task<error_code> read_request(ConnectionPtr c, Parser* parser) {
  error_code ec;
  co_await http::async_read_header(c->socket, c->input, *parser, asio::redirect_error(kAwait, ec));
  if (ec) co_return ec;
  if (beast::iequals(parser->get()[http::field::expect], "100-continue")) {
    std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await asio::async_write(c->socket, asio::buffer(go_on), asio::redirect_error(kAwait, ec));
  }
  if (!ec && !parser->is_done()) co_await http::async_read(c->socket, c->input, *parser, asio::redirect_error(kAwait, ec));
  co_return ec;
}

bool is_mistake(error_code ec) {
  return ec.category() == http::make_error_code(http::error::end_of_stream).category() && ec != http::error::end_of_stream &&
         ec != http::error::partial_message;
}

// What a connection needs of its server.
struct Shared {
  HttpHandler handler;
  HttpServerOptions options;
  std::unordered_set<Connection*> connections;
};

// Ends a connection however its coroutine ends.
struct Membership {
  Connection& connection;
  Shared& shared;
  ~Membership() {
    shared.connections.erase(&connection);
    close_politely(connection);
  }
};

Task<void> converse(ConnectionPtr c, Shared* shared) {
  Membership membership{*c, *shared};
  bool open = true;
  while (open) {
    Parser parser;
    parser.body_limit(shared->options.body_limit);
    parser.header_limit(kHeaderLimit);
    error_code ec = co_await read_request(c, &parser);
    if (ec) {
      bool too_large = ec == http::error::body_limit;
      HttpReply reply = too_large ? plain_error(413, "the body is too large") : plain_error(400, "not an HTTP request");
      if (is_mistake(ec)) co_await send_reply(c, std::move(reply), nullptr);
      break;
    }
    fill_request(parser, c->request);
    HttpReply reply = call(shared->handler, c->request);
    open = co_await send_reply(c, std::move(reply), &parser);
  }
}

void adopt(Socket socket, Shared& shared) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.non_blocking(true, ignored);
  auto executor = socket.get_executor();
  auto connection = std::make_shared<Connection>(std::move(socket));
  shared.connections.insert(connection.get());
  asio::co_spawn(executor, converse(std::move(connection), &shared), asio::detached);
}

Task<void> accept_all(Acceptor* acceptor, Shared* shared) {
  Timer timer(acceptor->get_executor());
  while (acceptor->is_open()) {
    error_code ec;
    Socket socket = co_await acceptor->async_accept(asio::redirect_error(kAwait, ec));
    // The server may have stopped between the connection's arrival and now: then nobody would close it.
    if (!acceptor->is_open()) break;
    if (!ec) {
      adopt(std::move(socket), *shared);
      continue;
    }
    // Out of descriptors: the connection stays in the queue until one is free.
    timer.expires_after(kAcceptPause);
    co_await timer.async_wait(asio::redirect_error(kAwait, ec));
  }
}

}  // namespace

struct HttpServer::Impl {
  Shared shared;  // outlives the coroutines, which die with the io_context at the latest
  asio::io_context io{1};
  Acceptor acceptor{io};
  std::thread thread;
  int port = 0;

  error_code listen() {
    error_code ec;
    auto address = asio::ip::make_address(shared.options.host, ec);
    if (ec) return ec;
    tcp::endpoint endpoint(address, static_cast<unsigned short>(shared.options.port));
    acceptor.open(endpoint.protocol(), ec);
    if (!ec) acceptor.set_option(asio::socket_base::reuse_address(true), ec);
    if (!ec) acceptor.bind(endpoint, ec);
    if (!ec) acceptor.listen(shared.options.backlog, ec);
    if (!ec) port = acceptor.local_endpoint(ec).port();
    return ec;
  }

  void close_all() {
    error_code ignored;
    acceptor.close(ignored);
    for (Connection* c : shared.connections) {
      c->leave();
      c->socket.close(ignored);
    }
  }
};

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (beast::iequals({key.data(), key.size()}, {name.data(), name.size()})) return value;
  return {};
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() { stop(); }
int HttpServer::port() const { return impl_->port; }

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpHandler handler, const HttpServerOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->shared = {std::move(handler), options, {}};
  if (error_code ec = impl->listen()) {
    return fail(ErrorKind::kIo, fmt::format("cannot listen on {}:{}: {}", options.host, options.port, ec.message()));
  }
  asio::co_spawn(impl->io, accept_all(&impl->acceptor, &impl->shared), asio::detached);
  Impl* running = impl.get();
  impl->thread = std::thread([running] { running->io.run(); });
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

void HttpServer::stop() {
  if (!impl_->thread.joinable()) return;
  asio::post(impl_->io, [this] { impl_->close_all(); });
  impl_->thread.join();
}

}  // namespace assay
