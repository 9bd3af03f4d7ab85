#include "serve/agui_script.h"

#include <fmt/format.h>

#include "base/json.h"

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

// Writes events of one stream: the frame around their JSON.
class Events {
 public:
  explicit Events(bool crlf) : end_(crlf ? "\r\n\r\n" : "\n\n") {}

  struct Text {
    std::string_view key;
    std::string_view value;
  };
  // An event whose members are all text.
  void write(std::string& out, std::string_view type, std::initializer_list<Text> members) const {
    open(out, type);
    for (const auto& [key, value] : members)
      add(out, key, value);
    close(out);
  }
  void open(std::string& out, std::string_view type) const { out.append("data: {\"type\":\"").append(type).append("\""); }
  static void add(std::string& out, std::string_view key, std::string_view value) {
    out.append(",\"").append(key).append("\":");
    append_json_string(value, out);
  }
  void close(std::string& out) const { out.append("}").append(end_); }
  std::string_view end() const { return end_; }

 private:
  std::string_view end_;
};

// Where the player stands after a piece of a step.
struct Progress {
  bool done = true;  // with the step
  Duration wait{};
  std::optional<StreamStep::Kind> last;  // nothing follows
};

// The names of a text's events in its two forms.
struct TextEvents {
  std::string_view start, content, end, chunk, role;
};
constexpr TextEvents kMessage = {"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TEXT_MESSAGE_CHUNK",
                                 "assistant"};
constexpr TextEvents kReasoning = {"REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END",
                                   "REASONING_MESSAGE_CHUNK", "reasoning"};

class AguiStream final : public HttpStream {
 public:
  explicit AguiStream(Performance performance)
      : performance_(std::move(performance)),
        placeholders_(performance_.request),
        values_(placeholders_.values),
        events_(rule().crlf) {}

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
    Events::add(out, "threadId", values_.thread_id);
    Events::add(out, "runId", values_.run_id);
    if (!performance_.request.input.empty()) out.append(",\"input\":").append(performance_.request.input);
    events_.close(out);
  }

  // Somebody stopped the run: what is open is closed.
  StreamStep stop(std::string& out) {
    if (inside_) end_text(std::get<TextStep>(rule().steps[step_]), out);
    finish(out);
    return {StreamStep::kEnd, {}};
  }

  void finish(std::string& out) {
    events_.open(out, "RUN_FINISHED");
    Events::add(out, "threadId", values_.thread_id);
    Events::add(out, "runId", values_.run_id);
    if (!usage_.empty()) out.append(",\"usage\":").append(usage_);
    events_.close(out);
  }

  // Unique in the thread as long as the client sends the whole conversation: turn, results seen in it, rule, step, round.
  std::string make_id(std::string_view kind) const {
    std::string id = fmt::format("{}-{}-{}-{}", kind, values_.turn, performance_.number, step_);
    if (round_ > 0) id += fmt::format("-{}", round_);
    if (performance_.request.results > 0) id += fmt::format("-r{}", performance_.request.results);
    return id;
  }

  Progress play(const TextStep& step, std::string& out) {
    const TextEvents& names = step.reasoning ? kReasoning : kMessage;
    bool chunks = step.form == EventForm::kChunk;
    bool first = cursor_ == 0 && !std::exchange(inside_, true);
    if (first) {
      id_ = make_id(step.reasoning ? "z" : "m");
      text_ = step.text.expand(values_);
      if (step.reasoning) events_.write(out, "REASONING_START", {{"messageId", id_}});
      if (!chunks) events_.write(out, names.start, {{"messageId", id_}, {"role", names.role}});
    }
    if (cursor_ < text_.size() || (first && chunks)) write_delta(step, names, first, out);
    if (cursor_ < text_.size()) return {false, step.delay, {}};
    end_text(step, out);
    return {};
  }

  void end_text(const TextStep& step, std::string& out) {
    inside_ = false;
    if (step.form != EventForm::kChunk) events_.write(out, step.reasoning ? kReasoning.end : kMessage.end, {{"messageId", id_}});
    if (step.reasoning) events_.write(out, "REASONING_END", {{"messageId", id_}});
  }

  void write_delta(const TextStep& step, const TextEvents& names, bool first, std::string& out) {
    size_t end = delta_end(text_, cursor_, step.chunk);
    std::string_view delta = std::string_view(text_).substr(cursor_, end - cursor_);
    cursor_ = end;
    if (step.form == EventForm::kExplicit)
      events_.write(out, names.content, {{"messageId", id_}, {"delta", delta}});
    else if (first && !step.reasoning)
      events_.write(out, names.chunk, {{"messageId", id_}, {"role", names.role}, {"delta", delta}});
    else
      events_.write(out, names.chunk, {{"messageId", id_}, {"delta", delta}});
  }

  Progress play(const ToolStep& step, std::string& out) {
    if (cursor_ == 0) {
      id_ = step.has_id ? step.id.expand(values_) : make_id("call");
      write_call(step, out);
      if (!step.result) return {};
      cursor_ = 1;
      if (step.delay > Duration::zero()) return {false, step.delay, {}};
    }
    std::string content = step.result->expand(values_);
    events_.write(out, "TOOL_CALL_RESULT",
                  {{"messageId", make_id("t")}, {"toolCallId", id_}, {"content", content}, {"role", "tool"}});
    return {};
  }

  void write_call(const ToolStep& step, std::string& out) {
    bool chunks = step.form == EventForm::kChunk;
    if (!chunks) events_.write(out, "TOOL_CALL_START", {{"toolCallId", id_}, {"toolCallName", step.name}});
    std::string args = step.args.expand(values_);
    size_t at = 0;
    do {
      size_t end = delta_end(args, at, step.args_chunk);
      std::string_view delta = std::string_view(args).substr(at, end - at);
      if (!chunks)
        events_.write(out, "TOOL_CALL_ARGS", {{"toolCallId", id_}, {"delta", delta}});
      else if (at == 0)
        events_.write(out, "TOOL_CALL_CHUNK", {{"toolCallId", id_}, {"toolCallName", step.name}, {"delta", delta}});
      else
        events_.write(out, "TOOL_CALL_CHUNK", {{"toolCallId", id_}, {"delta", delta}});
      at = end;
    } while (at < args.size());
    if (!chunks) events_.write(out, "TOOL_CALL_END", {{"toolCallId", id_}});
  }

  Progress play(const EventStep& step, std::string& out) {
    out += "data: ";
    step.event.append_to(out, values_);
    out += events_.end();
    if (step.ends_run) return {true, {}, StreamStep::kEnd};
    return {};
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
  Events events_;
  bool begun_ = false;
  int64_t round_ = 0;  // of `repeat`
  size_t step_ = 0;
  size_t cursor_ = 0;    // inside the step: bytes of the text, or parts of the call
  bool inside_ = false;  // a text has begun
  std::string text_;
  std::string id_;
  std::string usage_;
};

}  // namespace

std::unique_ptr<HttpStream> make_agui_stream(Performance performance) {
  return std::make_unique<AguiStream>(std::move(performance));
}

std::string agui_failure(const RunRequest& request, std::string_view message) {
  std::string out;
  Events events(/*crlf=*/false);
  events.write(out, "RUN_STARTED", {{"threadId", request.thread_id}, {"runId", request.run_id}});
  events.write(out, "RUN_ERROR", {{"message", message}});
  return out;
}

}  // namespace assay
