#pragma once
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/decode.h"
#include "model/transcript.h"

namespace assay {

// One rule of the catalogue: its name, how bad a breach is, what it says, and where it comes from.
struct ConformanceRule {
  std::string_view name;
  Severity severity;
  std::string_view sentence;
  std::string_view note;
};
std::span<const ConformanceRule> conformance_rules();
const ConformanceRule* find_conformance_rule(std::string_view name);

// What the client asked for and how the answer came, as far as rules speak of it.
struct ConformanceRequest {
  std::string thread_id;  // empty: nothing was asked for
  std::string run_id;
  std::vector<std::string> tools;                          // names of client-side tools
  bool connect = false;                                    // an empty answer is fine
  std::vector<std::pair<std::string, std::string>> calls;  // started before: id and tool
};
struct ConformanceEnding {
  std::string content_type;
  bool success_status = true;  // only 2xx answers are judged
  bool saw_carriage_return = false;
  bool unterminated = false;
  bool whole = true;  // it came to its end: nobody on this side cut it
};

// Judges one answer by AG-UI 1.1, event by event, beside the collector and independent of it. Notes every breach in
// the turn and never stops: what follows a breach is judged as far as it still makes sense.
class Conformance {
 public:
  Conformance(std::vector<Violation>& out, ConformanceRequest request, int first_event);

  void unreadable(EventDecoder::Status status, std::string message, Time at);
  void add(const AguiEvent& event, Time at);
  // What only the collector can know.
  void patch_not_applied(std::string why);
  void arguments_not_json(const std::string& call);
  void end(const ConformanceEnding& ending);

 private:
  // A message, call or reasoning that is streamed as chunks, in one lane (the parent agent, or a subagent).
  struct ChunkStream {
    EventType kind = EventType::kUnknown;
    std::string id;
    std::string role;
    std::string name;
    std::string parent;
  };
  struct Call {
    std::string name;
    bool open = false;
    bool answered = false;
  };
  // Everything that a new RUN_STARTED forgets.
  struct Run {
    std::string thread_id;
    std::string run_id;
    std::unordered_map<std::string, std::string> text;       // open messages and their owners
    std::unordered_map<std::string, std::string> reasoning;  // open reasoning messages
    std::unordered_map<std::string, std::string> spans;      // open reasoning spans
    std::set<std::pair<std::string, std::string>> steps;     // (owner, name)
    std::set<std::string> subagents;
    std::set<std::string> closed_subagents;
    std::vector<std::string> calls;  // started in this run, in order
    bool thinking = false;
  };
  enum class Phase { kBefore, kActive, kFinished, kFailed };

  void note(std::string_view rule, std::string message);
  bool phase_allows(const AguiEvent& event);
  void run_event(const AguiEvent& event);
  void run_started(const AguiEvent& event);
  void run_finished(const AguiEvent& event);
  void check_outcome(const AguiEvent& event);
  void check_usage(const AguiEvent& event);
  void open(std::unordered_map<std::string, std::string>& set, std::string_view id, std::string_view rule,
            const AguiEvent& event);
  void need_open(const std::unordered_map<std::string, std::string>& set, std::string_view id, std::string_view rule,
                 const AguiEvent& event);
  void check_owner(const std::string& owner, const AguiEvent& event);
  void tool_event(const AguiEvent& event);
  void start_call(std::string_view id, std::string_view name, const AguiEvent& event);
  void tool_result(const AguiEvent& event);
  void step_event(const AguiEvent& event);
  void reasoning_event(const AguiEvent& event);
  void subagent_event(const AguiEvent& event);
  void chunk(const AguiEvent& event);
  ChunkStream* chunk_stream(const AguiEvent& event, std::string_view id);
  void continue_chunk(ChunkStream& stream, const AguiEvent& event);
  void begin_chunk(const AguiEvent& event, std::string_view id);
  void close_chunks(const AguiEvent& event);
  void close_lane(const std::string& lane);
  void messages_snapshot(const AguiEvent& event);
  std::string open_things() const;

  std::vector<Violation>& out_;
  ConformanceRequest request_;
  int index_;
  Time at_ = kNoTime;
  int judged_ = 0;  // events, readable or not
  Phase phase_ = Phase::kBefore;
  Run run_;
  bool thread_seen_ = false;
  bool run_seen_ = false;
  bool any_run_ = false;
  std::unordered_map<std::string, Call> calls_;
  std::unordered_map<std::string, std::string> owners_;  // of messages and calls
  std::set<std::string> activities_;
  std::unordered_map<std::string, ChunkStream> lanes_;
};

}  // namespace assay
