#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

namespace assay::test {

struct Response {
  int status = 0;
  std::string head;
  std::string body;       // chunks joined
  bool complete = false;  // the body's end was seen
  bool reset = false;
};

// A blocking client for one connection that reads no further than the end of one response.
class Client {
 public:
  explicit Client(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  Client(Client&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_), input_(std::move(other.input_)), reset_(other.reset_) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { close(); }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  bool connected() const { return connected_; }

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
  }
  void post(std::string_view path, std::string_view body) const {
    send("POST " + std::string(path) + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
  }

  // Bytes until `end` is in the input or the peer closes.
  bool read_until(std::string_view end) {
    while (input_.find(end) == std::string::npos)
      if (!read_some()) return false;
    return true;
  }
  // False when nothing came within the time.
  bool readable(int ms) const {
    pollfd p{fd_, POLLIN, 0};
    return ::poll(&p, 1, ms) == 1;
  }
  const std::string& input() const { return input_; }

  Response read() {
    Response out;
    if (read_until("\r\n\r\n")) {
      size_t end = input_.find("\r\n\r\n") + 4;
      out.head = input_.substr(0, end);
      input_.erase(0, end);
      out.status = std::stoi(out.head.substr(9, 3));
      out.complete = out.head.find("chunked") == std::string::npos ? read_length(out) : read_chunks(out);
    }
    out.reset = reset_;
    return out;
  }

 private:
  bool read_some() {
    char bytes[16384];
    ssize_t n = ::recv(fd_, bytes, sizeof bytes, 0);
    if (n < 0) reset_ = true;
    if (n > 0) input_.append(bytes, static_cast<size_t>(n));
    return n > 0;
  }
  bool need(size_t n) {
    while (input_.size() < n)
      if (!read_some()) return false;
    return true;
  }
  bool read_length(Response& out) {
    size_t at = out.head.find("Content-Length: ");
    if (at == std::string::npos) {
      while (read_some()) {
      }
      out.body = std::exchange(input_, {});
      return true;
    }
    size_t n = std::stoul(out.head.substr(at + 16));
    bool all = need(n);
    out.body = input_.substr(0, n);
    input_.erase(0, n);
    return all;
  }
  bool read_chunks(Response& out) {
    while (read_until("\r\n")) {
      size_t n = std::stoul(input_, nullptr, 16);
      input_.erase(0, input_.find("\r\n") + 2);
      if (!need(n + 2)) break;
      out.body += input_.substr(0, n);
      input_.erase(0, n + 2);
      if (n == 0) return true;
    }
    return false;
  }

  int fd_;
  bool connected_ = false;
  std::string input_;
  bool reset_ = false;
};

}  // namespace assay::test
