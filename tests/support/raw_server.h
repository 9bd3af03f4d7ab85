#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace assay::test {

// One connection of a server that answers with whatever bytes a test likes.
class Peer {
 public:
  explicit Peer(int fd) : fd_(fd) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Head and body; empty when the client went away.
  std::string read_request() {
    size_t head = 0;
    while ((head = input_.find("\r\n\r\n")) == std::string::npos)
      if (!read_some()) return {};
    size_t at = input_.find("Content-Length: ");
    size_t size = head + 4 + (at < head ? std::stoul(input_.substr(at + 16)) : 0);
    while (input_.size() < size)
      if (!read_some()) return {};
    std::string out = input_.substr(0, size);
    input_.erase(0, size);
    return out;
  }
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
  }
  // An answer with a length, as event stream unless said otherwise.
  void answer(std::string_view status, std::string_view body, std::string_view headers = "Content-Type: text/event-stream\r\n") {
    send("HTTP/1.1 " + std::string(status) + "\r\n" + std::string(headers) + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body));
  }
  // Its end will be a TCP reset.
  void reset() {
    linger now{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  // Waits until the client closes; false when it does not.
  bool closes_within(int ms) {
    pollfd p{fd_, POLLIN | POLLRDHUP, 0};
    char byte = 0;
    while (::poll(&p, 1, ms) == 1)
      if (::recv(fd_, &byte, 1, 0) <= 0) return true;
    return false;
  }

 private:
  bool read_some() {
    char bytes[65536];
    ssize_t n = ::recv(fd_, bytes, sizeof bytes, 0);
    if (n > 0) input_.append(bytes, static_cast<size_t>(n));
    return n > 0;
  }
  int fd_;
  std::string input_;
};

// Listens on a free port of the loopback; each connection has a thread that plays `play`. Its end closes all.
class RawServer {
 public:
  explicit RawServer(std::function<void(Peer&)> play)
      : play_(std::move(play)), fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(fd_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(fd_, 1024);
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { accept_all(); });
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  ~RawServer() {
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    {
      std::lock_guard lock(mutex_);
      for (int fd : open_)
        ::shutdown(fd, SHUT_RDWR);
    }
    for (auto& thread : peers_)
      thread.join();
    ::close(fd_);
  }

  int port() const { return port_; }
  int connections() const { return connections_; }
  std::string url(std::string_view path = "/") const { return "http://127.0.0.1:" + std::to_string(port_) + std::string(path); }

 private:
  void accept_all() {
    for (int fd = 0; (fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      ++connections_;
      {
        std::lock_guard lock(mutex_);
        open_.insert(fd);
      }
      peers_.emplace_back([this, fd] {
        Peer peer(fd);
        play_(peer);
        std::lock_guard lock(mutex_);
        open_.erase(fd);
        ::close(fd);
      });
    }
  }

  std::function<void(Peer&)> play_;
  int fd_;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::set<int> open_;
  std::vector<std::thread> peers_;
  std::thread thread_;
};

// The address of a port nobody listens on.
inline std::string refusing_url() {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(fd);
  return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
}

}  // namespace assay::test
