#include "net/child_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace assay {
namespace asio = boost::asio;
namespace {

constexpr auto kPoll = std::chrono::milliseconds(10);
constexpr int kMostDrained = 64;  // reads at the end: a grandchild may go on printing for ever

}  // namespace

// Reads one pipe until its end. Shared with the handler, which may run once more after the owner is gone.
struct ChildProcess::Reader : std::enable_shared_from_this<Reader> {
  Reader(Loop& loop, int fd, ChildSink::Stream which, ChildSink& to) : pipe(loop.io(), fd), stream(which), sink(&to) {
    pipe.non_blocking(true);
  }

  bool take() {  // false: nothing there, or the end
    ssize_t n = pipe.is_open() ? ::read(pipe.native_handle(), buffer.data(), buffer.size()) : 0;
    if (n > 0) sink->on_output(stream, {buffer.data(), static_cast<size_t>(n)});
    return n > 0 || (n < 0 && errno == EINTR);
  }

  void wait() {
    pipe.async_wait(asio::posix::stream_descriptor::wait_read, [self = shared_from_this()](boost::system::error_code ec) {
      if (!ec && self->sink && self->take()) self->wait();
    });
  }

  void close() {
    boost::system::error_code ignored;
    pipe.close(ignored);
    sink = nullptr;
  }

  asio::posix::stream_descriptor pipe;
  ChildSink::Stream stream;
  ChildSink* sink;
  std::array<char, 65536> buffer;
};

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(Loop& loop, const ProcessSpec& spec, ChildSink& sink) {
  auto child = spawn_group(spec);
  if (!child) return tl::unexpected(child.error());
  return std::unique_ptr<ChildProcess>(new ChildProcess(loop, *child, sink));
}

ChildProcess::ChildProcess(Loop& loop, Spawned child, ChildSink& sink)
    : loop_(loop),
      child_(child),
      sink_(sink),
      out_(std::make_shared<Reader>(loop, child.out, ChildSink::Stream::kOut, sink)),
      err_(std::make_shared<Reader>(loop, child.err, ChildSink::Stream::kErr, sink)),
      exit_(loop.io(), open_pidfd(child.pid)) {
  out_->wait();
  err_->wait();
  watch_exit();
}

ChildProcess::~ChildProcess() {
  close();
  if (ended_) return;
  kill(-child_.pid, SIGKILL);
  int status = 0;
  waitpid(child_.pid, &status, 0);
}

void ChildProcess::close() {
  boost::system::error_code ignored;
  exit_.close(ignored);
  out_->close();
  err_->close();
}

void ChildProcess::watch_exit() {
  exit_.async_wait(asio::posix::stream_descriptor::wait_read,
                   [this, alive = std::weak_ptr<char>(alive_)](boost::system::error_code ec) {
                     if (!ec && !alive.expired()) exited();
                   });
}

// The last words are in the pipes already, whoever else holds them open.
void ChildProcess::exited() {
  if (std::exchange(told_, true)) return;
  for (auto& reader : {out_, err_})
    for (int i = 0; i < kMostDrained && reader->take(); ++i) {
    }
  sink_.on_exit(peek_status(exit_.native_handle()));
}

Task<void> ChildProcess::stop(Duration grace, CancelToken hurry) {
  kill(-child_.pid, SIGTERM);
  bool reaped = false;
  auto is_over = [&] {
    reaped = reaped || (told_ && reap(child_.pid));
    return reaped && group_is_empty(child_.pid);
  };
  Time last = loop_.now() + grace;
  while (!is_over() && !hurry.cancelled() && loop_.now() < last)
    co_await sleep_for(loop_, kPoll, hurry);
  if (!is_over()) kill(-child_.pid, SIGKILL);
  while (!told_)
    co_await sleep_for(loop_, kPoll, CancelToken());
  while (!reaped && !reap(child_.pid)) {
  }
  ended_ = true;
  close();
}

}  // namespace assay
