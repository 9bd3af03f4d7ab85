#pragma once
#include <memory>
#include <optional>
#include <string>

#include "agent/decode.h"
#include "agent/history.h"
#include "base/text_map.h"
#include "base/time.h"
#include "model/tool_stub.h"
#include "model/transcript.h"

namespace assay {

// Folds the events of a conversation into its turns. A plain object without I/O; a violation never stops the fold.
class Collector {
 public:
  Collector(Transcript& transcript, EventDecoder& decoder) : transcript_(transcript), decoder_(decoder) {}

  // Before the first turn, where the state is known.
  void set_state(Json state) { state_ = std::move(state); }
  // The agent is about to tell the whole conversation anew.
  void forget() {
    history_ = {};
    state_.reset();
    calls_.clear();
  }
  void begin_turn(Json input, std::string message_id, Time at);
  // The request that is answered went out then (an attempt before it may have been refused).
  void restart_turn(Time at) {
    if (turn().events == 0) turn().start = turn().end = at;
  }
  // Before each answer of the turn but the first.
  void begin_round();
  // The answer of a client-side tool, sent with the next request. `message_id` is its message's.
  void answer_call(std::string_view call_id, std::string message_id, const ToolReply& reply, Time at);
  void add(const AguiEvent& event, Time at);
  // The events of one answer are over. Says how the agent's last run ended; `error` is its own message.
  struct Verdict {
    Outcome outcome = Outcome::kSuccess;
    std::string error;
  };
  Verdict end_run();
  void end_turn(Outcome outcome, std::string error, Time at);

  // Nothing more of this turn can be taken: a limit was passed. Empty: all is well.
  const std::string& limit() const { return limit_; }
  const History& history() const { return history_; }
  const std::optional<Json>& state() const { return state_; }
  int events() const { return turn().events; }
  int refused_patches() const { return refused_patches_; }
  // Calls of the turn whose arguments are not JSON; known when its run has ended.
  std::vector<std::string> unreadable_arguments() const;
  Time last_event() const { return last_event_; }

 private:
  using Handler = void (Collector::*)(const AguiEvent&, Time);
  static Handler handler(EventType type);

  // What the agent's current run has said of its end.
  struct Run {
    bool finished = false;
    bool failed = false;
    Outcome outcome = Outcome::kSuccess;
    std::string error;
  };
  struct CallRef {
    size_t turn;
    size_t index;
  };

  Turn& turn() { return transcript_.turns.back(); }
  const Turn& turn() const { return transcript_.turns.back(); }
  Message& text_message(std::string_view id);
  void append_text(std::string_view id, std::string_view delta, Time at);
  bool is_of_this_turn(std::string_view call_id) const;
  ToolCall* find_call(std::string_view id);
  ToolCall& open_call(std::string_view id, std::string_view name, std::string_view parent, Time at);
  void append_arguments(ToolCall& call, std::string_view delta);
  void set_result(ToolCall& call, const Json& content, Time at);
  std::string& reasoning(std::string_view id);
  std::optional<Json> json(const AguiEvent& event, FieldId field);
  const std::string& chunk_key(TextMap<std::string>& open, const AguiEvent& event, FieldId id);
  void take_tags(std::string_view message_id, const AguiEvent& event);
  void take_call_metadata(std::string_view call_id, const AguiEvent& event);
  Json* find_activity(std::string_view id);
  void on_legacy_interrupt(const AguiEvent& event);
  void add_usage(const AguiEvent& event);
  void take_snapshot_message(const Json& message, bool counts, Time at);
  void finish_arguments();

  void on_run_started(const AguiEvent& e, Time at);
  void on_run_finished(const AguiEvent& e, Time at);
  void on_run_error(const AguiEvent& e, Time at);
  void on_step_started(const AguiEvent& e, Time at);
  void on_text_start(const AguiEvent& e, Time at);
  void on_text_content(const AguiEvent& e, Time at);
  void on_text_end(const AguiEvent& e, Time at);
  void on_text_chunk(const AguiEvent& e, Time at);
  void on_tool_start(const AguiEvent& e, Time at);
  void on_tool_args(const AguiEvent& e, Time at);
  void on_tool_end(const AguiEvent& e, Time at);
  void on_tool_chunk(const AguiEvent& e, Time at);
  void on_tool_result(const AguiEvent& e, Time at);
  void on_state_snapshot(const AguiEvent& e, Time at);
  void on_state_delta(const AguiEvent& e, Time at);
  void on_messages_snapshot(const AguiEvent& e, Time at);
  void on_reasoning(const AguiEvent& e, Time at);
  void on_thinking_start(const AguiEvent& e, Time at);
  void on_thinking(const AguiEvent& e, Time at);
  void on_encrypted(const AguiEvent& e, Time at);
  void on_activity_snapshot(const AguiEvent& e, Time at);
  void on_activity_delta(const AguiEvent& e, Time at);
  void on_subagent_started(const AguiEvent& e, Time at);
  void on_subagent_ended(const AguiEvent& e, Time at);
  void on_custom(const AguiEvent& e, Time at);

  Transcript& transcript_;
  EventDecoder& decoder_;
  History history_;
  std::optional<Json> state_;
  Run run_;
  std::string limit_;
  Time last_event_ = kNoTime;
  int events_of_round_ = 0;
  int refused_patches_ = 0;
  std::string thinking_;  // key of the deprecated reasoning, which has no id
  int minted_ = 0;        // ids for what came without one

  // Of the current turn.
  TextMap<size_t> message_places_;
  std::vector<std::string> raw_arguments_;  // of each tool call, as it came
  TextMap<size_t> reasoning_places_;
  // The item that chunks without an id go on with, by lane: a subagent's run, or "" for the agent itself.
  TextMap<std::string> chunk_message_;
  TextMap<std::string> chunk_call_;
  TextMap<std::string> chunk_reasoning_;
  TextSet earlier_;  // messages that were there before it
  // Of all turns.
  TextMap<CallRef> calls_;
};

}  // namespace assay
