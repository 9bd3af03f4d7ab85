#include "net/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <cstring>

#include "base/text.h"

namespace assay {
namespace asio = boost::asio;
namespace {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

HeaderList header_list(const HttpPost& request) {
  HeaderList list;
  auto add = [&](const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer && !list) list.reset(longer);
  };
  for (const auto& [name, value] : request.headers)
    add(value.empty() ? name + ";" : name + ": " + value);
  add("Expect:");
  return list;
}

// One exchange in flight.
struct Transfer {
  Transfer(Loop& loop, HttpSink& s) : sink(s), done(loop) {}

  HttpSink& sink;
  Gate done;
  Easy easy;
  HeaderList headers;
  HttpEnd end;
  const Time* stamp = nullptr;
  bool stopped = false;
  int sent = 0;
  std::array<char, CURL_ERROR_SIZE> message{};

  // curl would post again where a connection it kept turns out to be closed: the peer may have served it already.
  static int before_request(void* self, char*, char*, int, int) {
    return static_cast<Transfer*>(self)->sent++ == 0 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
  }

  static size_t on_body(char* data, size_t size, size_t count, void* self) {
    auto& t = *static_cast<Transfer*>(self);
    if (t.sink.on_bytes({data, size * count}, *t.stamp)) return size * count;
    t.stopped = true;
    return 0;
  }

  static size_t on_header(char* data, size_t size, size_t count, void* self) {
    auto& t = *static_cast<Transfer*>(self);
    std::string_view line = trim({data, size * count});
    if (line.starts_with("HTTP/")) {
      size_t blank = line.find(' ');
      int status = 0;
      if (blank != std::string_view::npos) std::from_chars(line.data() + blank + 1, line.data() + line.size(), status);
      t.end.status = status;
      t.sink.on_status(status);
    } else if (size_t colon = line.find(':'); colon != std::string_view::npos) {
      t.sink.on_header(line.substr(0, colon), trim(line.substr(colon + 1)));
    }
    return size * count;
  }
};

}  // namespace

class HttpClient::Impl {
 public:
  explicit Impl(Loop& loop) : loop_(loop), epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(loop.io(), epoll_), timer_(loop.io()) {
    static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)initialised;
    multi_.reset(curl_multi_init());
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
  }

  ~Impl() {
    *alive_ = false;
    multi_.reset();
  }

  Task<HttpEnd> post(HttpPost request, HttpSink& sink, CancelToken token) {
    Transfer transfer(loop_, sink);
    if (token.cancelled()) co_return HttpEnd{HttpEnd::Kind::kCancelled, 0, {}, loop_.now()};
    prepare(transfer, request);
    stamp_ = loop_.now();
    watch();
    curl_multi_add_handle(multi_.get(), transfer.easy.get());
    auto registration = token.on_cancel([this, &transfer] {
      if (transfer.done.is_open()) return;
      finish(transfer, HttpEnd::Kind::kCancelled);
      transfer.end.at = loop_.now();
    });
    co_await transfer.done.wait();
    curl_multi_remove_handle(multi_.get(), transfer.easy.get());
    recycle(std::move(transfer.easy));
    unwatch();
    co_return transfer.end;
  }

 private:
  static constexpr size_t kKeptHandles = 256;
  static constexpr long kIdleSeconds = 4;  // common servers close an idle connection after 5

  void finish(Transfer& transfer, HttpEnd::Kind kind) {
    transfer.end.kind = kind;
    transfer.end.at = stamp_;
    transfer.done.open();
  }

  Easy new_handle() {
    if (spare_.empty()) return Easy(curl_easy_init());
    Easy easy = std::move(spare_.back());
    spare_.pop_back();
    return easy;
  }

  void recycle(Easy easy) {
    if (spare_.size() >= kKeptHandles) return;
    curl_easy_reset(easy.get());
    spare_.push_back(std::move(easy));
  }

  void prepare(Transfer& t, const HttpPost& request) {
    t.easy = new_handle();
    t.headers = header_list(request);
    t.stamp = &stamp_;
    CURL* e = t.easy.get();
    curl_easy_setopt(e, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_POST, 1L);
    curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(e, CURLOPT_COPYPOSTFIELDS, request.body.c_str());
    if (request.method == HttpPost::Method::kGet) curl_easy_setopt(e, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, t.headers.get());
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, Transfer::on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, &t);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, Transfer::on_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, &t);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t.message.data());
    curl_easy_setopt(e, CURLOPT_PRIVATE, &t);
    curl_easy_setopt(e, CURLOPT_USERAGENT, "assay/" ASSAY_VERSION);
    curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, Transfer::before_request);
    curl_easy_setopt(e, CURLOPT_PREREQDATA, &t);
    curl_easy_setopt(e, CURLOPT_MAXAGE_CONN, kIdleSeconds);
  }

  // curl tells which sockets it waits for: they go into an epoll set of our own, which the loop watches as one.
  static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void* known) {
    auto& impl = *static_cast<Impl*>(self);
    epoll_event event{};
    event.data.fd = fd;
    if (what == CURL_POLL_REMOVE) return epoll_ctl(impl.epoll_, EPOLL_CTL_DEL, fd, nullptr), 0;
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    bool added = known != nullptr;
    if (epoll_ctl(impl.epoll_, added ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0 && added)
      epoll_ctl(impl.epoll_, EPOLL_CTL_ADD, fd, &event);
    if (!added) curl_multi_assign(impl.multi_.get(), fd, &impl);
    return 0;
  }

  static int on_timer(CURLM*, long ms, void* self) {
    auto& impl = *static_cast<Impl*>(self);
    impl.timer_.cancel();
    if (ms < 0) return 0;
    impl.timer_.expires_after(std::chrono::milliseconds(ms));
    impl.timer_.async_wait([&impl, alive = impl.alive_](boost::system::error_code ec) {
      if (ec || !*alive) return;
      impl.stamp_ = impl.loop_.now();
      impl.act(CURL_SOCKET_TIMEOUT, 0);
      impl.collect();
    });
    return 0;
  }

  // Waits only while something is in flight, so that the loop can end.
  void watch() {
    ++in_flight_;
    if (!waiting_) wait();
  }

  void unwatch() {
    if (--in_flight_ == 0) wake_.cancel();
  }

  void wait() {
    waiting_ = true;
    wake_.async_wait(asio::posix::stream_descriptor::wait_read, [this, alive = alive_](boost::system::error_code ec) {
      if (!*alive) return;
      waiting_ = false;
      if (!ec) on_ready();
      // Asked here, not in unwatch alone: what is queued already cannot be cancelled.
      if (in_flight_ > 0 && !waiting_) wait();
    });
  }

  void on_ready() {
    std::array<epoll_event, 256> ready;
    int n = epoll_wait(epoll_, ready.data(), ready.size(), 0);
    stamp_ = loop_.now();
    for (int i = 0; i < n; ++i) {
      uint32_t events = ready[static_cast<size_t>(i)].events;
      int flags = 0;
      if (events & EPOLLIN) flags |= CURL_CSELECT_IN;
      if (events & EPOLLOUT) flags |= CURL_CSELECT_OUT;
      if (events & (EPOLLERR | EPOLLHUP)) flags |= CURL_CSELECT_ERR | CURL_CSELECT_IN;
      act(ready[static_cast<size_t>(i)].data.fd, flags);
    }
    collect();
  }

  void act(curl_socket_t fd, int flags) {
    int running = 0;
    curl_multi_socket_action(multi_.get(), fd, flags, &running);
  }

  void collect() {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Transfer* transfer = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      if (!transfer->done.is_open()) complete(*transfer, message->data.result);
    }
  }

  void complete(Transfer& t, CURLcode code) {
    if (code == CURLE_OK) return finish(t, HttpEnd::Kind::kComplete);
    if (t.stopped) return finish(t, HttpEnd::Kind::kStopped);
    t.end.error = t.message[0] ? t.message.data() : curl_easy_strerror(code);
    if (code == CURLE_ABORTED_BY_CALLBACK) t.end.error = "the server closed the connection without an answer";
    if (code == CURLE_COULDNT_CONNECT) {
      long number = 0;
      curl_easy_getinfo(t.easy.get(), CURLINFO_OS_ERRNO, &number);
      if (number != 0) t.end.error = fmt::format("{} ({})", std::strerror(static_cast<int>(number)), t.end.error);
      return finish(t, HttpEnd::Kind::kRefused);
    }
    finish(t, code == CURLE_PARTIAL_FILE ? HttpEnd::Kind::kCut : HttpEnd::Kind::kFailed);
  }

  Loop& loop_;
  int epoll_;
  asio::posix::stream_descriptor wake_;  // owns epoll_
  asio::steady_timer timer_;
  std::unique_ptr<CURLM, MultiDeleter> multi_;
  std::vector<Easy> spare_;
  Time stamp_ = kNoTime;  // when the bytes being handled came out of the socket
  size_t in_flight_ = 0;
  bool waiting_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

std::optional<Time> parse_http_date(const std::string& text) {
  time_t date = text.empty() ? -1 : curl_getdate(text.c_str(), nullptr);
  if (date < 0) return std::nullopt;
  return Time(std::chrono::seconds(date));
}

HttpClient::HttpClient(Loop& loop) : impl_(std::make_unique<Impl>(loop)) {}
HttpClient::~HttpClient() = default;

Task<HttpEnd> HttpClient::post(HttpPost request, HttpSink& sink, CancelToken token) {
  return impl_->post(std::move(request), sink, std::move(token));
}

}  // namespace assay
