#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/time.h"

namespace assay {

// How a run of the agent ended. All but the first two end the case.
enum class Outcome {
  kSuccess,
  kInterrupt,
  kCancelled,
  kRunError,
  kTruncated,
  kEmpty,
  kHttpError,
  kTransportError,
  kTimeout,
};
std::string_view outcome_name(Outcome outcome);  // "success", "run_error", …

struct ToolCall {
  std::string id;
  std::string name;
  Json arguments = Json::object();
  std::optional<std::string> arguments_text;  // kept where the arguments are not JSON
  std::optional<Json> result;                 // parsed where it is JSON, else text; none: nobody answered
  Json result_parts;                          // content parts as received, else null
  std::optional<std::string> error;           // carried by the tool message
  Time start = kNoTime;
  Time end = kNoTime;
  Time result_at = kNoTime;

  // When the call counts as done: its result's time, else its end's, else its start's.
  Time timestamp() const { return result_at != kNoTime ? result_at : end != kNoTime ? end : start; }
};

// An assistant message of a turn.
struct Message {
  std::string id;
  std::string text;
};

enum class Severity { kWarning, kError };

// A subagent that was announced in a turn.
struct Subagent {
  std::string id;
  std::string name;
  std::string outcome;  // "success", "suspended", "error"; empty: nobody said how it ended
  std::string error;
};

// A breach of the protocol: noted, never in the way of reading on.
struct Violation {
  std::string rule;
  Severity severity = Severity::kError;
  int event = 0;  // index in the turn, from 0
  Time at = kNoTime;
  std::string message;
};

struct Usage {
  std::optional<int64_t> input_tokens;
  std::optional<int64_t> output_tokens;
  std::optional<int64_t> total_tokens;  // reported, else the sum of the two
};

// The recorded facts of one user message and everything until the agent's run ended.
struct Turn {
  int number = 1;  // from 1
  Json input;      // text, or a list of content parts
  std::vector<Message> messages;
  std::vector<ToolCall> tool_calls;  // in the order they started
  std::optional<Json> state;         // after the turn; none where unknown
  std::optional<Usage> usage;
  std::vector<std::string> steps;
  std::vector<std::string> reasoning;
  std::vector<Json> custom;      // CUSTOM events: {name, value}
  std::vector<Json> activities;  // as last set or patched: {id, type, content}
  std::vector<Subagent> subagents;
  std::vector<Violation> violations;
  Json interrupts = Json::array();  // open ones, as the outcome names them
  bool legacy_interrupt = false;    // told by CUSTOM on_interrupt: answered by forwardedProps.command.resume
  Outcome outcome = Outcome::kSuccess;
  std::string error;  // a sentence, where the outcome is not a success
  Time start = kNoTime;
  Time end = kNoTime;
  Time first_text = kNoTime;
  int events = 0;

  std::string text() const;        // all assistant messages that have text, joined by newlines
  std::string final_text() const;  // the last one that has text
};

struct Transcript {
  std::vector<Turn> turns;
};

}  // namespace assay
