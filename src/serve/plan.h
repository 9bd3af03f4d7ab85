#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/reader.h"
#include "base/time.h"
#include "check/pattern.h"
#include "serve/template.h"
#include "serve/violate.h"
#include "serve/wire.h"

namespace assay {

// The answer to an interrupt, as a rule wants it; what is not given holds always.
struct ResumeMatch {
  std::optional<bool> given;  // is there an answer at all?
  std::optional<std::string> id;
  std::optional<std::string> status;
  std::optional<Pattern> payload;
};

// When a rule plays; what is not given holds always. "This turn" is what follows the last user message.
struct When {
  std::optional<Pattern> message;         // over the text of the last user message
  std::optional<int64_t> turn;            // number of user messages in the request
  std::optional<Pattern> tool_result;     // over the content of this turn's last tool message
  std::optional<Pattern> tool_error;      // over its error
  std::vector<std::string> after_tools;   // each has a result in this turn
  std::vector<std::string> has_tool;      // each is a client-side tool of the request
  std::optional<ResumeMatch> resume;      // one answer of `resume` is such
  std::optional<Pattern> command_resume;  // over forwardedProps.command.resume
  Json state;                             // the request's state has these members; null: any
};

// START, CONTENT…, END; a row of CHUNK events; or only in a MESSAGES_SNAPSHOT.
enum class EventForm { kExplicit, kChunk, kSnapshot };
enum class TextKind { kMessage, kReasoning, kThinking };

// Something the assistant says or thinks.
struct TextStep {
  Template text;
  size_t chunk = 0;  // characters in a delta; 0: all of them
  Duration delay{};  // between deltas
  EventForm form = EventForm::kExplicit;
  TextKind kind = TextKind::kMessage;
  Template owner;  // the subagent that says it; empty: the agent itself
};

struct ToolStep {
  Template id;  // empty: made from turn, rule and step
  bool has_id = false;
  std::string name;
  Template args;          // the text of the arguments, JSON or not
  size_t args_chunk = 0;  // characters in a delta; 0: all of them
  std::optional<Template> result;
  bool result_is_parts = false;  // JSON of a list of content parts
  Duration delay{};              // before the result
  EventForm form = EventForm::kExplicit;
  Template owner;
};

struct EventStep {
  Template event;  // its JSON
  std::string type;
  bool ends_run = false;
};

// RUN_FINISHED with this outcome, and the end.
struct EndStep {
  Template outcome;  // JSON
};

struct RawStep {
  Template bytes;
};

struct UsageStep {
  Template usage;  // JSON, for RUN_FINISHED
};

struct WaitStep {
  Duration wait{};
};

enum class Fault { kCut, kReset, kStall, kGarbage, kNoFinish, kHtml };

struct FaultStep {
  Fault fault = Fault::kCut;
};

using Step = std::variant<TextStep, ToolStep, EventStep, EndStep, RawStep, UsageStep, WaitStep, FaultStep>;

// An answer that is no stream.
struct HttpAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string content_type;
  Template body;
};

struct Rule {
  When when;
  std::optional<int64_t> times;  // at most so often in one thread
  std::vector<Step> steps;
  std::optional<HttpAnswer> http;  // instead of the steps
  Duration delay{};                // before the head of the response
  bool autorun = true;             // RUN_STARTED and RUN_FINISHED by themselves
  int64_t repeat = 1;              // the steps are played so often
  bool pending = false;            // RUN_FINISHED names the calls nobody answered
  bool snapshots = false;          // a step sends the conversation so far
  bool own_ids = false;            // threadId and runId are not the request's
  std::vector<const Breach*> violate;
  Wire wire;
};

struct AgentScript {
  std::string name;
  std::vector<Rule> rules;  // the first one that holds plays
};

// What `assay serve` plays: immutable once read.
struct ServePlan {
  std::vector<AgentScript> agents;

  const AgentScript* find(std::string_view name) const;
  std::vector<std::string> names() const;
};

// Mistakes are noted in the reader; the plan is fit for use only where there are none.
ServePlan read_serve_plan(Reader& reader, const Node& root);

// A step of a rule, for the schema and the documentation.
struct StepHelp {
  std::string_view name;
  std::string_view type;
  std::string_view help;
};
std::vector<StepHelp> serve_step_help();

}  // namespace assay
