#pragma once
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/conformance_words.h"
#include "agent/decode.h"
#include "agent/event_schema.h"
#include "base/text_map.h"
#include "model/conformance_rules.h"
#include "model/transcript.h"

namespace assay {

// What the client asked for and how the answer came, as far as rules speak of it.
struct ConformanceRequest {
  std::string thread_id;  // empty: nothing was asked for
  std::string run_id;
  std::vector<std::string> tools;  // names of client-side tools
  bool connect = false;            // an empty answer is fine
  struct EarlierCall {
    std::string id;
    std::string tool;
    bool answered = false;
  };
  std::vector<EarlierCall> calls;       // of the conversation so far
  std::vector<std::string> activities;  // set before
};
struct ConformanceEnding {
  std::string content_type;
  bool success_status = true;  // only 2xx answers are judged
  bool saw_carriage_return = false;
  bool unterminated = false;
  bool whole = true;      // it came to its end: nobody on this side cut it
  bool ids_known = true;  // it was given to the ids of the request
};

// Judges one answer by AG-UI 1.1, event by event, beside the collector and independent of it. Notes every breach in
// the turn and never stops: what follows a breach is judged as far as it still makes sense.
class Conformance {
 public:
  Conformance(std::vector<Violation>& out, ConformanceRequest request, int first_event);
  Conformance(const Conformance&) = delete;
  Conformance& operator=(const Conformance&) = delete;

  void unreadable(EventDecoder::Status status, std::string message, Time at);
  void add(const AguiEvent& event, Time at);
  // What only the collector can know.
  void patch_not_applied(std::string why);
  void arguments_not_json(const std::string& call);
  void end(const ConformanceEnding& ending);

 private:
  using Owner = conformance::Owner;
  // A message, call or reasoning that is streamed as chunks, in one lane (the parent agent, or a subagent).
  struct ChunkStream {
    EventType kind = EventType::kUnknown;
    std::string id;
    Owner owner;
    // What its first chunk said.
    std::string role;
    std::optional<std::string> name;
    std::optional<std::string> parent;
  };
  struct Call {
    std::string name;
    bool open = false;
    bool answered = false;
  };
  struct Owners {
    TextMap<Owner> messages;
    TextMap<Owner> calls;
    TextMap<Owner> activities;
    TextMap<Owner> reasoning;
  };
  // Everything that a new RUN_STARTED forgets.
  struct Run {
    std::string thread_id;
    std::string run_id;
    TextSet text;
    TextSet reasoning;
    TextSet spans;
    Owners owners;
    std::set<std::pair<Owner, std::string>> steps;
    TextSet subagents;
    TextSet closed_subagents;
    std::vector<std::string> calls;  // started in this run, in order
  };
  // A kind of thing that opens and closes: the open ones, and who owns each.
  struct Kind {
    TextSet& open;
    TextMap<Owner>& owners;
  };
  Kind text() { return {run_.text, run_.owners.messages}; }
  Kind reasoning() { return {run_.reasoning, run_.owners.reasoning}; }
  Kind spans() { return {run_.spans, run_.owners.reasoning}; }
  enum class Phase { kBefore, kActive, kFinished, kFailed };

  void note(std::string_view rule, std::string message);
  bool phase_allows(const AguiEvent& event);
  void judge_order(const AguiEvent& event);
  void run_event(const AguiEvent& event);
  void run_started(const AguiEvent& event);
  void run_finished(const AguiEvent& event);
  void check_outcome(const AguiEvent& event);
  void check_usage(const AguiEvent& event);
  void open(Kind kind, std::string_view id, std::string_view rule, const AguiEvent& event);
  void go_on(Kind kind, std::string_view id, std::string_view rule, const AguiEvent& event);
  void close(Kind kind, std::string_view id, std::string_view rule, const AguiEvent& event);
  void check_owner(const Owner& owner, const AguiEvent& event);
  void check_known_owner(const TextMap<Owner>& owners, std::string_view id, const AguiEvent& event);
  void tool_event(const AguiEvent& event, std::string_view id);
  void start_call(std::string_view id, std::string_view name, const AguiEvent& event);
  void tool_result(const AguiEvent& event, const std::string& id);
  void step_event(const AguiEvent& event);
  void reasoning_event(const AguiEvent& event, std::string_view id);
  void encrypted_value(const AguiEvent& event);
  void activity_event(const AguiEvent& event, std::string_view id);
  void subagent_event(const AguiEvent& event, const std::string& id);
  void messages_snapshot(const AguiEvent& event);
  void take_owners(simdjson::dom::array messages, bool anew);
  std::string open_things() const;

  void chunk(const AguiEvent& event);
  std::string chunk_lane(const AguiEvent& event, std::optional<std::string_view> id);
  void continue_chunk(const ChunkStream& stream, const AguiEvent& event);
  void begin_chunk(const AguiEvent& event, const std::string& lane, std::optional<std::string_view> id);
  void close_chunks(const AguiEvent& event);
  void close_lane(const std::string& lane);

  std::vector<Violation>& out_;
  SchemaSink schema_sink_;
  ConformanceRequest request_;
  int index_;
  Time at_ = kNoTime;
  int judged_ = 0;  // events, readable or not
  int known_ = 0;   // those whose type is known
  Phase phase_ = Phase::kBefore;
  Run run_;
  bool thread_seen_ = false;
  bool run_seen_ = false;
  bool any_run_ = false;
  TextMap<Call> calls_;
  TextSet activities_;
  TextMap<ChunkStream> lanes_;
};

}  // namespace assay
