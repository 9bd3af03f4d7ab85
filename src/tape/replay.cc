#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

#include "base/text.h"
#include "tape/tape.h"

namespace assay {
namespace {

// The whole file; nothing where it is not there. Another problem is an error.
Result<std::optional<std::string>> read_whole(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::optional<std::string>();
  struct stat info {};
  if (fd < 0 || fstat(fd, &info) != 0) {
    int code = errno;
    if (fd >= 0) ::close(fd);
    return fail(ErrorKind::kIo, std::strerror(code));
  }
  std::string text(static_cast<size_t>(info.st_size), '\0');
  size_t have = 0;
  int code = 0;
  for (;;) {
    if (have == text.size()) text.resize(text.size() + 4096);
    ssize_t n = ::read(fd, text.data() + have, text.size() - have);
    if (n < 0) code = errno;
    if (n <= 0) break;
    have += static_cast<size_t>(n);
  }
  ::close(fd);
  if (code != 0) return fail(ErrorKind::kIo, std::strerror(code));
  text.resize(have);
  return std::optional(std::move(text));
}

// One line of a turn's file, taken apart.
struct TapeEvent {
  std::string text;  // as the agent sent it
  Time at = kNoTime;
  std::optional<Json> answer;  // of a client-side tool: the whole line
};

// What assay writes ends with the time; cutting it off gives back what came, to the byte.
bool split_own(std::string_view line, TapeEvent& out) {
  constexpr std::string_view kMark = "\"_ts\":";
  size_t mark = line.rfind(kMark);
  if (mark == std::string_view::npos || mark < 1 || !line.ends_with("}")) return false;
  std::string_view number = line.substr(mark + kMark.size(), line.size() - mark - kMark.size() - 1);
  double ms = 0;
  auto [end, ec] = std::from_chars(number.data(), number.data() + number.size(), ms);
  if (ec != std::errc() || end != number.data() + number.size()) return false;
  std::string_view head = line.substr(0, mark);
  if (head.ends_with(",")) head.remove_suffix(1);
  out.text.assign(head);
  out.text += '}';
  out.at = read_tape_time(ms);
  return true;
}

// Written by others (ananke): `_ts` stands anywhere, or is missing.
bool split_any(std::string_view line, TapeEvent& out) {
  auto value = parse_json(line);
  if (!value || !value->is_object()) return false;
  auto ts = value->find("_ts");
  if (ts != value->end() && ts->is_number()) out.at = read_tape_time(ts->get<double>());
  value->erase("_ts");
  out.text = to_compact(*value);
  return true;
}

bool split(std::string_view line, TapeEvent& out) {
  bool client = line.find("\"_from\":\"client\"") != std::string_view::npos;
  bool raw = line.starts_with("{\"_raw\":");
  if (!split_own(line, out) && !split_any(line, out)) return false;
  if (!client && !raw) return true;
  auto value = parse_json(out.text);
  if (!value) return false;
  if (client && value->value("_from", "") == "client") out.answer = std::move(*value);
  if (raw && value->at("_raw").is_string()) out.text = value->at("_raw").get<std::string>();
  return true;
}

class ReplayStage final : public Stage {
 public:
  ReplayStage(const TapeFolder& folder, const Case& c, const Redactor& secrets)
      : directory_(tape_directory(folder.absolute, c)), shown_(tape_directory(folder.root, c)), secrets_(secrets) {
    read_meta();
  }

  std::string new_id() override {
    if (meta_ && next_id_ < meta_->ids.size()) return meta_->ids[next_id_++];
    return fmt::format("tape-{}", ++next_id_);
  }

  Task<HookOutcome> run_hook(Hook hook, CancelToken) override {
    size_t index = next_hook_++;
    HookOutcome outcome;
    outcome.report.command = join(hook.cmd, " ");
    std::string name = fmt::format("hook-{}.json", index);
    auto text = read_whole(directory_ + "/" + name);
    auto value = text && *text ? parse_json(**text) : Result<Json>(Json());
    if (!text)
      outcome.report.error = fmt::format("{}/{}: {}", shown_, name, text.error().message);
    else if (!*text)
      outcome.report.error = missing(name);
    else if (!value || !value->is_object())
      outcome.report.error = fmt::format("{}/{}:1: it is not a JSON object", shown_, name);
    else
      outcome.variables = std::move(*value);
    if (meta_ && index < meta_->hooks.size()) {
      outcome.report.duration = meta_->hooks[index].duration;
      if (!meta_->hooks[index].ok) outcome.report.error = meta_->hooks[index].error;
    }
    outcome.report.ok = outcome.report.error.empty();
    co_return outcome;
  }

  Task<std::optional<HookReport>> run_teardown(Hook, CancelToken) override { co_return std::nullopt; }

  Task<ToolAnswer> call_tool(const ToolStub&, const ToolCall& call, size_t, CancelToken) override {
    ToolAnswer answer;
    if (!meta_) co_return answer;  // others did not play tools
    TapeEvent line;
    if (!has_line() || !next_line(line) || !line.answer || line.answer->value("toolCallId", "") != call.id) {
      answer.problem =
          fmt::format("{}:{}: the tape has no answer to this call: record the test again", shown_file_, line_number_ + 1);
      co_return answer;
    }
    answer.at = line.at;
    answer.problem = line.answer->value("_problem", "");
    answer.answered = line.answer->contains("content");
    if (answer.answered) answer.reply.value = (*line.answer)["content"];
    if (line.answer->contains("error")) answer.reply.error = line.answer->value("error", "");
    co_return answer;
  }

  Task<RunEnd> run_agent(const AgentSpec&, Request request, EventSink& sink, CancelToken) override {
    co_return play(request, sink);
  }

  void end_turn() override {
    ++turn_;
    round_ = 0;
    text_.clear();
    at_ = 0;
  }

  Task<Result<void>> end(bool) override { co_return Result<void>(); }

 private:
  void read_meta() {
    auto text = read_whole(directory_ + "/meta.json");
    if (!text) return void(broken_ = fmt::format("{}/meta.json: {}", shown_, text.error().message));
    if (!*text) return;
    auto meta = read_tape_meta(**text);
    if (meta)
      meta_ = std::move(*meta);
    else
      broken_ = fmt::format("{}/meta.json:1: {}", shown_, meta.error().message);
  }

  RunEnd play(const Request& request, EventSink& sink) {
    if (!broken_.empty()) return broken(broken_);
    std::string why = round_ == 0 ? open_turn() : std::string();
    if (!why.empty()) return broken(why);
    if (!meta_) return play_rest(sink);
    const auto& turns = meta_->turns;
    if (turn_ >= turns.size() || round_ >= turns[turn_].rounds.size())
      return broken(
          fmt::format("{}:{}: the tape ends here, the test asks for more: record it again", shown_file_, line_number_ + 1));
    const TapeRound& round = turns[turn_].rounds[round_++];
    if (round.request != request_hash(request, secrets_))
      return broken(
          fmt::format("{}/meta.json: turn {} was recorded for another request, the test has changed since: record it again",
                      shown_, turn_ + 1));
    sink.on_request(round.start);
    for (size_t i = 0; i < round.events; ++i)
      if (std::string wrong = play_line(sink); !wrong.empty()) return wrong == kStopped ? round.end : broken(wrong);
    return round.end;
  }

  // A tape without meta.json: the turn starts with its first event, and everything is one answer.
  RunEnd play_rest(EventSink& sink) {
    RunEnd end;
    end.status = 200;
    end.content_type = "text/event-stream";
    end.message = shown_file_;
    end.ids_known = false;
    bool first = true;
    while (has_line()) {
      TapeEvent event;
      if (!next_line(event)) return broken(fmt::format("{}:{}: not a JSON object", shown_file_, line_number_));
      if (event.at == kNoTime) event.at = first ? Time() : end.at;
      if (std::exchange(first, false)) sink.on_request(event.at);
      end.at = event.at;
      if (!event.answer && !sink.on_event(event.text, event.at)) break;
    }
    return end;
  }

  static constexpr std::string_view kStopped = "stopped";
  std::string play_line(EventSink& sink) {
    if (!has_line()) return fmt::format("{}:{}: the tape ends early: record the test again", shown_file_, line_number_ + 1);
    TapeEvent event;
    if (!next_line(event) || event.answer) return fmt::format("{}:{}: not an event of the agent", shown_file_, line_number_);
    return sink.on_event(event.text, event.at) ? std::string() : std::string(kStopped);
  }

  std::string open_turn() {
    std::string name = fmt::format("turn-{}.jsonl", turn_);
    shown_file_ = fmt::format("{}/{}", shown_, name);
    line_number_ = 0;
    auto text = read_whole(directory_ + "/" + name);
    if (!text) return fmt::format("{}: {}", shown_file_, text.error().message);
    if (!*text) return missing(name);
    text_ = std::move(**text);
    at_ = 0;
    return {};
  }

  // Is there another line that is not blank? The blank ones before it are gone then.
  bool has_line() {
    while (at_ < text_.size()) {
      size_t end = std::min(text_.find('\n', at_), text_.size());
      if (!trim(std::string_view(text_).substr(at_, end - at_)).empty()) return true;
      at_ = end + 1;
      ++line_number_;
    }
    return false;
  }

  // Takes it. False: it is no event.
  bool next_line(TapeEvent& out) {
    size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = trim(std::string_view(text_).substr(at_, end - at_));
    at_ = end + 1;
    ++line_number_;
    return split(line, out);
  }

  std::string missing(const std::string& name) const {
    return fmt::format("{}/{}: there is no such tape: record the test", shown_, name);
  }

  static RunEnd broken(std::string why) {
    RunEnd end;
    end.kind = RunEnd::Kind::kBroken;
    end.message = "tape " + std::move(why);
    return end;
  }

  std::string directory_;
  std::string shown_;
  const Redactor& secrets_;
  std::optional<TapeMeta> meta_;
  std::string broken_;  // why no turn can be played
  size_t next_id_ = 0;
  size_t next_hook_ = 0;
  size_t turn_ = 0;
  size_t round_ = 0;
  std::string text_;  // of the turn's file
  size_t at_ = 0;
  int line_number_ = 0;
  std::string shown_file_;
};

}  // namespace

std::unique_ptr<Stage> make_replay_stage(const TapeFolder& folder, const Case& c, const Redactor& secrets) {
  return std::make_unique<ReplayStage>(folder, c, secrets);
}

}  // namespace assay
