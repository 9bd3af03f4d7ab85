#include "run/launch.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <future>
#include <thread>

#include "base/text.h"
#include "check/pattern.h"
#include "net/child_process.h"
#include "net/connect.h"
#include "net/http_client.h"
#include "run/launch_output.h"

namespace assay {
namespace asio = boost::asio;
namespace {

constexpr auto kPause = std::chrono::milliseconds(50);        // between two looks whether it is ready
constexpr auto kOneLook = std::chrono::seconds(5);            // it may accept a connection and say nothing
constexpr auto kDeathNotice = std::chrono::milliseconds(50);  // its sockets close before its end is known
constexpr size_t kShownLine = 300;
constexpr size_t kShownInCase = 5;

std::vector<std::string> environment(const Env& env, const LaunchSpec& spec) {
  auto variables = env.variables;
  for (const auto& [name, value] : spec.env)
    variables.insert_or_assign(name, value);
  std::vector<std::string> out;
  for (const auto& [name, value] : variables)
    out.push_back(name + "=" + value);
  return out;
}

std::string end_words(const ExitStatus& status) {
  return status.kind == ExitStatus::Kind::kExited ? fmt::format("exited with code {}", status.code)
                                                  : fmt::format("was ended by signal {}", status.code);
}

// Only the status is of interest.
class StatusSink final : public HttpSink {
 public:
  void on_header(std::string_view, std::string_view) override {}
  void on_status(int status) override { status_ = status; }
  bool on_bytes(std::string_view, Time) override { return false; }
  int status() const { return status_; }

 private:
  int status_ = 0;
};

// Did the agent stop answering? What it said itself, or what a check says of its words, is not the launch's doing.
bool lost_its_agent(const CaseResult& result) {
  if (result.status != Status::kError && result.status != Status::kTimeout) return false;
  if (result.transcript.turns.empty()) return false;
  switch (result.transcript.turns.back().outcome) {
    case Outcome::kTransportError:
    case Outcome::kHttpError:
    case Outcome::kTruncated:
    case Outcome::kEmpty:
    case Outcome::kTimeout: return true;
    default: return false;
  }
}

}  // namespace

class Launch::Impl final : private ChildSink {
 public:
  Impl(const LaunchSpec& spec, const Env& env, const Redactor& secrets, LaunchLog log)
      : spec_(spec),
        env_(env),
        secrets_(secrets),
        log_(std::move(log)),
        ready_(spec.ready.value_or(LaunchReady{})),
        loop_(*env.clock),
        http_(loop_),
        busy_(loop_.io().get_executor()),
        signals_(loop_.io()) {
    bool by_line = ready_.kind == LaunchReady::Kind::kStdout || ready_.kind == LaunchReady::Kind::kStderr;
    if (by_line)
      if (auto pattern = Pattern::compile(ready_.pattern)) pattern_ = *pattern;
    if (env.signal_fd >= 0) signals_.assign(dup(env.signal_fd));
  }
  ~Impl() { stop(); }

  Result<void> start() {
    auto result = outcome_.get_future();
    thread_ = std::thread([this] { run(); });
    return result.get();
  }

  void stop() {
    if (!thread_.joinable()) return;
    asio::post(loop_.io(), [this] { loop_.spawn(end()); });
    thread_.join();
  }

  void kill() {
    std::lock_guard lock(mutex_);
    if (group_ > 0) ::kill(-group_, SIGKILL);
  }

  void explain(CaseResult& result) {
    if (!lost_its_agent(result)) return;
    std::unique_lock lock(mutex_);
    // A cut connection may be noticed before the death that cut it. Not for every case of a long run.
    if (!exit_ && patience_ > Duration{}) {
      patience_ -= kDeathNotice;
      died_.wait_for(lock, kDeathNotice, [&] { return exit_.has_value(); });
    }
    if (!exit_) return;
    result.error += fmt::format("; the launched application {}", end_words(*exit_));
    auto lines = shown_lines();
    if (lines.size() > kShownInCase) lines.erase(lines.begin(), lines.end() - kShownInCase);
    if (!lines.empty()) result.error += ": " + join(lines, " | ");
  }

 private:
  void run() {
    loop_.spawn(bring_up());
    // What a library throws out of memory or descriptors must not leave the application behind.
    try {
      loop_.run();
    } catch (const std::exception& e) {
      kill();
      settle(fail(ErrorKind::kInternal, fmt::format("the launch broke: {}", e.what())));
    }
  }

  Task<void> bring_up() {
    Result<void> taken = co_await look(CancelToken());
    bool answers = taken.has_value() && (ready_.kind == LaunchReady::Kind::kUrl || ready_.kind == LaunchReady::Kind::kPort);
    if (answers) {
      settle(failure(fmt::format("something answers at {} already", where()),
                     "stop it, or leave `launch` out to test what runs there"));
      co_return;
    }
    ProcessSpec process{spec_.cmd, environment(env_, spec_), spec_.directory};
    auto child = ChildProcess::start(loop_, process, *this);
    if (!child) {
      settle(failure(child.error().message, {}));
      co_return;
    }
    child_ = std::move(*child);
    set_group(child_->group());
    watch_signals();
    Deadline deadline(loop_, spec_.timeout, waiting_);
    co_await wait_until_ready();
    settle(judged());
  }

  Task<void> wait_until_ready() {
    while (!waiting_.cancelled() && !is_ready_) {
      Result<void> found = co_await look(waiting_);
      is_ready_ = is_ready_ || found.has_value();
      if (!waiting_.cancelled()) last_look_ = found;
      if (!is_ready_) co_await sleep_for(loop_, kPause, waiting_);
    }
  }

  Result<void> judged() {
    if (exit_) return failure(fmt::format("the launched application {} before it was ready", end_words(*exit_)), {});
    if (is_ready_ || interrupted_) return {};
    std::string message =
        fmt::format("the launched application was not ready after {} (timeout_ms)", format_duration(spec_.timeout));
    if (!last_look_ && !last_look_.error().message.empty()) message += ": " + last_look_.error().message;
    return failure(message, {});
  }

  std::string where() const {
    return ready_.kind == LaunchReady::Kind::kUrl ? ready_.url : fmt::format("{}:{}", ready_.host, ready_.port);
  }

  // Is it ready now? Where a line tells, nobody needs to look.
  Task<Result<void>> look(CancelToken token) {
    CancelToken patience = token.child();
    Deadline deadline(loop_, kOneLook, patience);
    Result<void> found;
    switch (ready_.kind) {
      case LaunchReady::Kind::kAtOnce: break;
      case LaunchReady::Kind::kPort: found = co_await try_connect(loop_, ready_.host, ready_.port, patience); break;
      case LaunchReady::Kind::kUrl: found = co_await ask(patience); break;
      default: found = fail(ErrorKind::kInput, fmt::format("no line matched {}", quote(ready_.pattern)));
    }
    co_return found;
  }

  Task<Result<void>> ask(CancelToken token) {
    StatusSink sink;
    HttpPost request;
    request.url = ready_.url;
    request.headers.emplace_back("Connection", "close");  // an application may wait for kept ones when it stops
    request.method = HttpPost::Method::kGet;
    HttpEnd end = co_await http_.post(std::move(request), sink, token);
    Result<void> found;
    if (sink.status() == 0)
      found = fail(ErrorKind::kIo, fmt::format("{}: {}", ready_.url, end.error.empty() ? "no answer" : end.error));
    else if (sink.status() >= 500)
      found = fail(ErrorKind::kIo, fmt::format("{}: HTTP {}", ready_.url, sink.status()));
    co_return found;
  }

  Result<void> failure(std::string message, std::string hint) {
    std::lock_guard lock(mutex_);
    if (auto lines = shown_lines(); !lines.empty()) hint = "it printed last:\n    " + join(lines, "\n    ");
    return tl::unexpected(Error{ErrorKind::kInput, std::move(message), spec_.place, std::move(hint)});
  }

  void settle(Result<void> result) {
    if (!std::exchange(settled_, true)) outcome_.set_value(std::move(result));
  }

  // --- the end

  Task<void> end() {
    boost::system::error_code ignored;
    signals_.cancel(ignored);
    waiting_.cancel(CancelReason::kInterrupt);
    if (child_) {
      stopping_ = true;
      watch_signals();
      co_await child_->stop(spec_.grace, hurry_);
    }
    set_group(0);
    signals_.close(ignored);
    busy_.reset();
  }

  // While it starts: the waiting is given up, and the signal is left for the runner. While it is stopped: no grace.
  void watch_signals() {
    if (!signals_.is_open()) return;
    signals_.async_wait(asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code ec) {
      if (ec || (is_ready_ && !stopping_)) return;
      char number = 0;
      if (stopping_ && ::read(signals_.native_handle(), &number, 1) == 1) return hurry_.cancel(CancelReason::kInterrupt);
      interrupted_ = true;
      waiting_.cancel(CancelReason::kInterrupt);
    });
  }

  void set_group(pid_t group) {
    std::lock_guard lock(mutex_);
    group_ = group;
  }

  // --- what it says

  void on_output(Stream stream, std::string_view bytes) override {
    splitter(stream).feed(bytes, [&](std::string_view line) { take(stream, line); });
  }

  void on_exit(ExitStatus status) override {
    for (auto stream : {Stream::kOut, Stream::kErr})
      splitter(stream).finish([&](std::string_view line) { take(stream, line); });
    {
      std::lock_guard lock(mutex_);
      exit_ = status;
    }
    died_.notify_all();
    waiting_.cancel(CancelReason::kInterrupt);
  }

  void take(Stream stream, std::string_view line) {
    if (log_) log_(line);
    bool watched = (ready_.kind == LaunchReady::Kind::kStdout) == (stream == Stream::kOut);
    if (pattern_ && !is_ready_ && watched && pattern_->search(line) == Pattern::Match::kYes) {
      is_ready_ = true;
      waiting_.cancel(CancelReason::kInterrupt);
    }
    std::lock_guard lock(mutex_);
    last_.add(line);
  }

  LineSplitter& splitter(Stream stream) { return stream == Stream::kOut ? out_ : err_; }

  // Secrets go first: cutting before would leave halves of them.
  std::vector<std::string> shown_lines() const {
    std::vector<std::string> out;
    for (const auto& line : last_.lines())
      out.push_back(visible(shorten(secrets_.apply(valid_utf8(line)), kShownLine)));
    return out;
  }

  const LaunchSpec spec_;
  const Env& env_;
  const Redactor& secrets_;
  LaunchLog log_;
  LaunchReady ready_;
  std::optional<Pattern> pattern_;
  std::promise<Result<void>> outcome_;
  Duration patience_ = std::chrono::seconds(1);  // for deaths that are not known yet, all cases together

  // The loop's own.
  Loop loop_;
  HttpClient http_;
  asio::executor_work_guard<asio::io_context::executor_type> busy_;
  asio::posix::stream_descriptor signals_;
  CancelToken waiting_;
  CancelToken hurry_;
  std::unique_ptr<ChildProcess> child_;
  Result<void> last_look_;
  LineSplitter out_;
  LineSplitter err_;
  bool is_ready_ = false;
  bool interrupted_ = false;
  bool stopping_ = false;
  bool settled_ = false;

  // Shared with the reporting side.
  std::mutex mutex_;
  std::condition_variable died_;
  std::optional<ExitStatus> exit_;
  LastLines last_;
  pid_t group_ = 0;

  std::thread thread_;
};

Launch::Launch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Launch::~Launch() = default;

Result<std::unique_ptr<Launch>> Launch::start(const LaunchSpec& spec, const Env& env, const Redactor& secrets, LaunchLog log) {
  auto impl = std::make_unique<Impl>(spec, env, secrets, std::move(log));
  if (auto started = impl->start(); !started) return tl::unexpected(started.error());
  return std::unique_ptr<Launch>(new Launch(std::move(impl)));
}

void Launch::kill() { impl_->kill(); }
void Launch::explain(CaseResult& result) { impl_->explain(result); }

}  // namespace assay
