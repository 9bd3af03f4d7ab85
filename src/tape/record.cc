#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "tape/tape.h"

namespace assay {
namespace fs = std::filesystem;
namespace {

// Hands on everything, and keeps the lines of the tape.
class Tee final : public EventSink {
 public:
  Tee(EventSink& sink, TapeRound& round, std::string& lines, const Redactor& secrets)
      : sink_(sink), round_(round), lines_(lines), secrets_(secrets) {}
  void on_request(Time at) override {
    round_.start = at;
    sink_.on_request(at);
  }
  bool on_event(std::string_view json, Time at) override {
    ++round_.events;
    lines_ += tape_line(json, at, secrets_);
    return sink_.on_event(json, at);
  }
  std::string refusal() const override { return sink_.refusal(); }
  bool wants_log() const override { return sink_.wants_log(); }
  void on_log(std::string_view line) override { sink_.on_log(line); }

 private:
  EventSink& sink_;
  TapeRound& round_;
  std::string& lines_;
  const Redactor& secrets_;
};

class RecordingStage final : public Stage {
 public:
  RecordingStage(std::unique_ptr<Stage> inner, const TapeFolder& folder, const Case& c, const Redactor& secrets)
      : inner_(std::move(inner)),
        directory_(tape_directory(folder.absolute, c)),
        shown_(tape_directory(folder.root, c)),
        secrets_(secrets) {
    meta_.test = c.file;
    meta_.name = c.name;
  }

  std::string new_id() override { return meta_.ids.emplace_back(inner_->new_id()); }

  Task<HookOutcome> run_hook(Hook hook, CancelToken token) override {
    HookOutcome outcome = co_await inner_->run_hook(std::move(hook), token);
    meta_.hooks.push_back({outcome.report.ok, outcome.report.error, outcome.report.duration});
    variables_.push_back(outcome.variables);
    co_return outcome;
  }

  Task<std::optional<HookReport>> run_teardown(Hook hook, CancelToken token) override {
    auto report = co_await inner_->run_teardown(std::move(hook), token);
    co_return report;
  }

  Task<ToolAnswer> call_tool(const ToolStub& stub, const ToolCall& call, size_t earlier, CancelToken token) override {
    std::string id = call.id;
    ToolAnswer answer = co_await inner_->call_tool(stub, call, earlier, token);
    Json line = {{"type", "TOOL_CALL_RESULT"}, {"toolCallId", id}};
    if (answer.answered)
      line["content"] = answer.reply.value.is_string() ? answer.reply.value : Json(to_compact(answer.reply.value));
    if (answer.reply.error) line["error"] = *answer.reply.error;
    if (!answer.problem.empty()) line["_problem"] = answer.problem;
    lines_ += tape_answer_line(std::move(line), answer.at, secrets_);
    co_return answer;
  }

  Task<RunEnd> run_agent(const AgentSpec& spec, Request request, EventSink& sink, CancelToken token) override {
    TapeRound round;
    round.request = request_hash(request, secrets_);
    Tee tee(sink, round, lines_, secrets_);
    RunEnd end = co_await inner_->run_agent(spec, std::move(request), tee, token);
    round.end = end;
    turn_.rounds.push_back(std::move(round));
    co_return end;
  }

  void end_turn() override {
    inner_->end_turn();
    if (meta_.recorded == kNoTime && !turn_.rounds.empty()) meta_.recorded = turn_.rounds[0].start;
    meta_.turns.push_back(std::exchange(turn_, {}));
    turns_.push_back(std::exchange(lines_, {}));
  }

  Task<Result<void>> end(bool whole) override {
    auto ended = co_await inner_->end(whole);
    if (!ended || !whole) co_return ended;
    co_return save();
  }

 private:
  // Each file appears whole; the one that makes a tape of them comes last, and goes first.
  Result<void> save() {
    std::error_code ec;
    fs::create_directories(directory_, ec);
    if (ec) return unwritten(shown_, ec.message());
    fs::remove(directory_ + "/meta.json", ec);
    for (const auto& entry : fs::directory_iterator(directory_, ec)) {
      std::string name = entry.path().filename().string();
      bool old =
          (name.starts_with("turn-") && name.ends_with(".jsonl")) || (name.starts_with("hook-") && name.ends_with(".json"));
      if (old) fs::remove(entry.path(), ec);
    }
    for (size_t i = 0; i < turns_.size(); ++i)
      if (auto written = write(fmt::format("turn-{}.jsonl", i), turns_[i]); !written) return written;
    for (size_t i = 0; i < variables_.size(); ++i)
      if (auto written = write(fmt::format("hook-{}.json", i), redacted(variables_[i])); !written) return written;
    return write("meta.json", redacted(tape_meta_json(meta_)));
  }

  std::string redacted(Json value) const {
    secrets_.apply_to_strings(value);
    return to_compact(value) + "\n";
  }

  Result<void> unwritten(const std::string& path, const std::string& why) const {
    return fail(ErrorKind::kIo, fmt::format("the tape {} cannot be written: {}", path, why));
  }

  Result<void> write(const std::string& name, std::string_view text) const {
    std::string path = directory_ + "/" + name;
    std::string temp = fmt::format("{}/.{}.{}.tmp", directory_, name, getpid());
    std::ofstream out(temp, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    std::error_code ec;
    if (out) fs::rename(temp, path, ec);
    if (out && !ec) return {};
    std::string why = ec ? ec.message() : std::generic_category().message(errno);
    fs::remove(temp, ec);
    return unwritten(shown_ + "/" + name, why);
  }

  std::unique_ptr<Stage> inner_;
  std::string directory_;
  std::string shown_;
  const Redactor& secrets_;
  TapeMeta meta_;
  TapeTurn turn_;      // the one that goes on
  std::string lines_;  // of it
  std::vector<std::string> turns_;
  std::vector<Json> variables_;
};

}  // namespace

std::unique_ptr<Stage> make_recording_stage(std::unique_ptr<Stage> inner, const TapeFolder& folder, const Case& c,
                                            const Redactor& secrets) {
  return std::make_unique<RecordingStage>(std::move(inner), folder, c, secrets);
}

}  // namespace assay
