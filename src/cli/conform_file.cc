#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/conform.h"
#include "cli/suite_run.h"
#include "run/recorded_stream.h"

namespace assay {
namespace {

constexpr int kSignalBase = 128;

// A file of the user's, or standard input, which is left open.
class Input {
 public:
  Input(const Env& env, const std::string& path)
      : signals_(env.signal_fd),
        fd_(path == "-" ? env.input_fd : ::open((env.cwd / path).c_str(), O_RDONLY | O_CLOEXEC)),
        owned_(path != "-") {
    if (fd_ < 0) error = path == "-" ? "there is no standard input" : std::strerror(errno);
  }
  ~Input() {
    if (owned_ && fd_ >= 0) ::close(fd_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // The next bytes; nothing at the end, on an error and when a signal came.
  std::string_view read() {
    if (!error.empty() || interrupted()) return {};
    ssize_t n = ::read(fd_, buffer_.data(), buffer_.size());
    if (n < 0) error = std::strerror(errno);
    return {buffer_.data(), static_cast<size_t>(std::max<ssize_t>(n, 0))};
  }

  std::string error;
  int signal = 0;

 private:
  // Waits for bytes or for a signal.
  bool interrupted() {
    std::array<pollfd, 2> waiting = {{{fd_, POLLIN, 0}, {signals_, POLLIN, 0}}};
    while (poll(waiting.data(), waiting.size(), -1) < 0) {
    }
    char number = 0;
    if (waiting[1].revents != 0 && ::read(signals_, &number, 1) == 1) signal = number;
    return signal != 0;
  }

  int signals_;
  int fd_;
  bool owned_;
  std::array<char, 65536> buffer_;
};

RecordedStream::Form form_of(const std::string& path, const std::string& format) {
  std::string small = lower(path);
  bool lines = format.empty() ? small.ends_with(".jsonl") || small.ends_with(".ndjson") : format == "jsonl";
  return lines ? RecordedStream::Form::kLines : RecordedStream::Form::kSse;
}

std::string call_line(const ToolCall& call, const ConsoleText& text) {
  std::string out = fmt::format("  call: {} ", text.line(call.name, ConsoleText::kShort));
  out += call.arguments_text ? text.line(*call.arguments_text) : text.value(call.arguments);
  if (call.error) return out + " → error: " + text.line(*call.error) + "\n";
  return out + (call.result ? " → " + text.value(*call.result) : " → no result") + "\n";
}

std::string told(const std::string& name, const Turn& turn, const ConsoleText& text) {
  std::string out = fmt::format("{} {}: {}, {}\n", grade_label(grade_of(turn.violations), text), text.line(name),
                                plural(turn.events, "event"), outcome_name(turn.outcome));
  if (!turn.error.empty()) out += "  " + text.line(turn.error) + "\n";
  for (const auto& call : turn.tool_calls)
    out += call_line(call, text);
  if (std::string said = turn.text(); !said.empty()) out += "  text: " + text.line(said) + "\n";
  if (turn.state) out += "  state: " + text.value(*turn.state) + "\n";
  return out + violation_lines(turn.violations, text) + "\n" + broken_rules(turn.violations);
}

}  // namespace

int judge_file(Env& env, const ConformFlags& flags, const std::string& path) {
  Redactor secrets;
  ConsoleText text(secrets, use_color(env, flags.color) ? ConsoleText::Color::kOn : ConsoleText::Color::kOff);
  std::string name = path == "-" ? "standard input" : path;
  RecordedStream stream(form_of(path, flags.format), Limits{});
  Input input(env, path);
  for (std::string_view bytes = input.read(); !bytes.empty() && stream.feed(bytes);)
    bytes = input.read();
  if (input.signal != 0) return kSignalBase + input.signal;
  if (!input.error.empty()) {
    Error error{ErrorKind::kInput, fmt::format("cannot read {}: {}", name, input.error), {}, {}};
    if (path != "-") error.hint = "a URL begins with http:// or https://";
    return report_mistakes(env, {error}, flags.json, secrets);
  }

  const Turn& turn = stream.finish();
  env.out->write(flags.json ? to_compact(judged_json(turn, secrets)) + "\n" : told(name, turn, text));
  bool refused = turn.outcome == Outcome::kTransportError;
  return refused || grade_of(turn.violations) == Grade::kFail ? kExitFailed : kExitPassed;
}

}  // namespace assay
