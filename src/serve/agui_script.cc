#include "serve/agui_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "serve/event_writer.h"

namespace assay {
namespace {

// As much is handed to the network in one go where no pause asks for less.
constexpr size_t kPortion = 32 << 10;
constexpr std::string_view kGarbage = "\x01\xff\xfe{]%% this is no event stream %%[}\x80\x02\n\n";

// The end of the first `characters` characters behind `from`; 0 characters: of all.
size_t delta_end(std::string_view text, size_t from, size_t characters) {
  if (characters == 0) return text.size();
  size_t at = from;
  while (at < text.size() && characters-- > 0) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
      ++at;
  }
  return at;
}

// Where the player stands after a piece of a step.
struct Progress {
  bool done = true;  // with the step
  Duration wait{};
  std::optional<StreamStep::Kind> last;  // nothing follows
};

// The words of a kind of text. The span lies around the message; thinking has no ids.
struct TextEvents {
  std::string_view span_start, start, content, end, span_end, chunk, role, id, id_kind;
};
constexpr TextEvents kTextEvents[] = {
    {"", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "", "TEXT_MESSAGE_CHUNK", "assistant", "messageId",
     "m"},
    {"REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END",
     "REASONING_MESSAGE_CHUNK", "reasoning", "messageId", "z"},
    {"THINKING_START", "THINKING_TEXT_MESSAGE_START", "THINKING_TEXT_MESSAGE_CONTENT", "THINKING_TEXT_MESSAGE_END",
     "THINKING_END", "", "", "", "z"},
};
const TextEvents& words(const TextStep& step) { return kTextEvents[static_cast<size_t>(step.kind)]; }

std::optional<Breaker> make_breaker(const Rule& rule, const TemplateValues& values) {
  if (rule.violate.empty()) return std::nullopt;
  return Breaker(rule.violate, values);
}

class AguiStream final : public HttpStream {
 public:
  explicit AguiStream(Performance performance)
      : performance_(std::move(performance)),
        placeholders_(performance_.request),
        values_(placeholders_.values),
        events_(rule().wire, make_breaker(rule(), values_)) {
    if (rule().snapshots) said_ = std::move(performance_.request.messages);
    performance_.request.messages = nullptr;
  }

  StreamStep next(std::string& out) override {
    if (!std::exchange(begun_, true) && rule().autorun) begin(out);
    if (performance_.stopped && *performance_.stopped) return stop(out);
    for (; round_ < rule().repeat; ++round_, step_ = 0) {
      while (step_ < rule().steps.size()) {
        Progress progress = std::visit([&](const auto& step) { return play(step, out); }, rule().steps[step_]);
        if (progress.done) ++step_, cursor_ = 0;
        if (progress.last) return {*progress.last, {}};
        if (progress.wait > Duration::zero() || out.size() >= kPortion) return {StreamStep::kMore, progress.wait};
      }
    }
    if (rule().autorun) finish(out);
    return {StreamStep::kEnd, {}};
  }

 private:
  const Rule& rule() const { return *performance_.rule; }

  void begin(std::string& out) {
    events_.open(out, "RUN_STARTED");
    EventWriter::add(out, "threadId", values_.thread_id);
    EventWriter::add(out, "runId", values_.run_id);
    std::string input = std::exchange(performance_.request.input, {});
    if (!input.empty()) EventWriter::add_json(out, "input", input);
    events_.close(out);
  }

  void finish(std::string& out) {
    if (outcome_.empty() && rule().pending) outcome_ = to_compact({{"type", "success"}, {"pendingToolCallIds", pending_}});
    events_.set_owner("");
    events_.open(out, "RUN_FINISHED");
    EventWriter::add(out, "threadId", values_.thread_id);
    EventWriter::add(out, "runId", values_.run_id);
    if (!outcome_.empty()) EventWriter::add_json(out, "outcome", outcome_);
    if (!usage_.empty()) EventWriter::add_json(out, "usage", usage_);
    events_.close(out);
  }

  // Somebody stopped the run: what is open is closed.
  StreamStep stop(std::string& out) {
    if (inside_) end_text(std::get<TextStep>(rule().steps[step_]), out);
    finish(out);
    return {StreamStep::kEnd, {}};
  }

  // Unique in the thread as long as the client sends the whole conversation: turn, what came since, rule, step, round.
  std::string make_id(std::string_view kind) const {
    const RunRequest& request = performance_.request;
    std::string id = fmt::format("{}-{}-{}-{}", kind, values_.turn, performance_.number, step_);
    if (round_ > 0) id += fmt::format("-{}", round_);
    if (request.results > 0) id += fmt::format("-r{}", request.results);
    if (!request.resume.empty() || request.command_resume) id += fmt::format("-s{}", request.since);
    return id;
  }

  // --- the conversation so far, where a step of the rule sends it

  void say_text(const TextEvents& names) {
    if (rule().snapshots) said_.push_back({{"id", id_}, {"role", names.role}, {"content", text_}});
  }
  void say_call(const ToolStep& step, const std::string& args) {
    if (!rule().snapshots) return;
    Json function = {{"name", step.name}, {"arguments", args}};
    Json call = {{"id", id_}, {"type", "function"}, {"function", std::move(function)}};
    said_.push_back({{"id", id_}, {"role", "assistant"}, {"toolCalls", Json::array({std::move(call)})}});
  }
  void say_result(const std::string& id, const std::string& content) {
    if (!rule().snapshots) return;
    Json value = parse_json(content).value_or(Json());
    said_.push_back({{"id", id}, {"role", "tool"}, {"toolCallId", id_}, {"content", std::move(value)}});
  }
  void send_snapshot(std::string& out) {
    events_.set_owner("");
    events_.open(out, "MESSAGES_SNAPSHOT");
    EventWriter::add_json(out, "messages", to_compact(said_));
    events_.close(out);
  }

  // --- texts

  Progress play(const TextStep& step, std::string& out) {
    const TextEvents& names = words(step);
    bool chunks = step.form == EventForm::kChunk;
    bool first = cursor_ == 0 && !inside_;
    if (first) {
      id_ = make_id(names.id_kind);
      text_ = step.text.expand(values_);
      if (step.form == EventForm::kSnapshot) {
        say_text(names);
        return send_snapshot(out), Progress{};
      }
      begin_text(step, out);
    }
    if (cursor_ < text_.size() || (first && chunks)) write_delta(step, names, first, out);
    if (cursor_ < text_.size()) return {false, step.delay, {}};
    end_text(step, out);
    return {};
  }

  void begin_text(const TextStep& step, std::string& out) {
    const TextEvents& names = words(step);
    inside_ = true;
    events_.set_owner(step.owner.expand(values_));
    if (!names.span_start.empty()) events_.write(out, names.span_start, {{names.id, id_}});
    if (step.form == EventForm::kChunk) return;
    events_.write(out, names.start, {{names.id, id_}, {names.role.empty() ? "" : "role", names.role}});
  }

  void write_delta(const TextStep& step, const TextEvents& names, bool first, std::string& out) {
    size_t end = delta_end(text_, cursor_, step.chunk);
    std::string_view delta = std::string_view(text_).substr(cursor_, end - cursor_);
    cursor_ = end;
    bool chunk = step.form == EventForm::kChunk;
    bool tells_role = chunk && first && step.kind == TextKind::kMessage;
    events_.write(out, chunk ? names.chunk : names.content,
                  {{names.id, id_}, {tells_role ? "role" : "", names.role}, {"delta", delta}});
  }

  void end_text(const TextStep& step, std::string& out) {
    const TextEvents& names = words(step);
    inside_ = false;
    if (step.form == EventForm::kExplicit) events_.write(out, names.end, {{names.id, id_}});
    if (!names.span_end.empty()) events_.write(out, names.span_end, {{names.id, id_}});
    if (step.kind != TextKind::kThinking) say_text(names);
    events_.set_owner("");
  }

  // --- tool calls

  Progress play(const ToolStep& step, std::string& out) {
    bool snapshot = step.form == EventForm::kSnapshot;
    if (cursor_ == 0) {
      id_ = step.has_id ? step.id.expand(values_) : make_id("call");
      events_.set_owner(step.owner.expand(values_));
      write_call(step, out);
      if (!step.result) {
        if (!snapshot && rule().pending) pending_.push_back(id_);
        if (snapshot) send_snapshot(out);
        events_.set_owner("");
        return {};
      }
      cursor_ = 1;
      if (step.delay > Duration::zero()) return {false, step.delay, {}};
    }
    write_result(step, out);
    if (snapshot) send_snapshot(out);
    events_.set_owner("");
    return {};
  }

  void write_result(const ToolStep& step, std::string& out) {
    std::string id = make_id("t");
    std::string content = step.result->expand(values_);
    if (!step.result_is_parts) {
      std::string quoted;
      append_json_string(content, quoted);
      content = std::move(quoted);
    }
    say_result(id, content);
    if (step.form == EventForm::kSnapshot) return;
    events_.open(out, "TOOL_CALL_RESULT");
    EventWriter::add(out, "messageId", id);
    EventWriter::add(out, "toolCallId", id_);
    EventWriter::add_json(out, "content", content);
    EventWriter::add(out, "role", "tool");
    events_.close(out);
  }

  void write_call(const ToolStep& step, std::string& out) {
    bool chunks = step.form == EventForm::kChunk;
    std::string args = step.args.expand(values_);
    say_call(step, args);
    if (step.form == EventForm::kSnapshot) return;
    if (!chunks) events_.write(out, "TOOL_CALL_START", {{"toolCallId", id_}, {"toolCallName", step.name}});
    size_t at = 0;
    do {
      size_t end = delta_end(args, at, step.args_chunk);
      std::string_view delta = std::string_view(args).substr(at, end - at);
      bool tells_name = chunks && at == 0;
      events_.write(out, chunks ? "TOOL_CALL_CHUNK" : "TOOL_CALL_ARGS",
                    {{"toolCallId", id_}, {tells_name ? "toolCallName" : "", step.name}, {"delta", delta}});
      at = end;
    } while (at < args.size());
    if (!chunks) events_.write(out, "TOOL_CALL_END", {{"toolCallId", id_}});
  }

  // --- everything else

  Progress play(const EventStep& step, std::string& out) {
    events_.write_json(out, step.type, step.event.expand(values_));
    if (step.ends_run) return {true, {}, StreamStep::kEnd};
    return {};
  }

  Progress play(const EndStep& step, std::string& out) {
    outcome_ = step.outcome.expand(values_);
    finish(out);
    return {true, {}, StreamStep::kEnd};
  }

  Progress play(const RawStep& step, std::string& out) {
    step.bytes.append_to(out, values_);
    return {};
  }

  Progress play(const UsageStep& step, std::string&) {
    usage_ = step.usage.expand(values_);
    return {};
  }

  Progress play(const WaitStep& step, std::string&) { return {true, step.wait, {}}; }

  Progress play(const FaultStep& step, std::string& out) {
    switch (step.fault) {
      case Fault::kCut: return {true, {}, StreamStep::kCut};
      case Fault::kReset: return {true, {}, StreamStep::kReset};
      case Fault::kStall: return {true, {}, StreamStep::kStall};
      case Fault::kNoFinish: return {true, {}, StreamStep::kEnd};
      case Fault::kGarbage: out += kGarbage; break;
      case Fault::kHtml: break;  // answered before there is a stream
    }
    return {};
  }

  Performance performance_;
  Placeholders placeholders_;  // views of the above
  const TemplateValues& values_;
  EventWriter events_;
  bool begun_ = false;
  int64_t round_ = 0;  // of `repeat`
  size_t step_ = 0;
  size_t cursor_ = 0;    // inside the step: bytes of the text, or parts of the call
  bool inside_ = false;  // a text has begun
  std::string text_;
  std::string id_;
  std::string usage_;
  std::string outcome_;
  std::vector<std::string> pending_;  // calls nobody answered
  Json said_;                         // messages, the request's first
};

}  // namespace

std::unique_ptr<HttpStream> make_agui_stream(Performance performance) {
  return std::make_unique<AguiStream>(std::move(performance));
}

std::string agui_failure(const RunRequest& request, std::string_view message) {
  std::string out;
  EventWriter events{Wire{}};
  events.write(out, "RUN_STARTED", {{"threadId", request.thread_id}, {"runId", request.run_id}});
  events.write(out, "RUN_ERROR", {{"message", message}});
  return out;
}

}  // namespace assay
