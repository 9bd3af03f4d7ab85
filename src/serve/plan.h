#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/reader.h"
#include "base/time.h"
#include "check/pattern.h"
#include "serve/template.h"

namespace assay {

// When a rule plays; what is not given holds always. "This turn" is what follows the last user message.
struct When {
  std::optional<Pattern> message;        // over the text of the last user message
  std::optional<int64_t> turn;           // number of user messages in the request
  std::optional<Pattern> tool_result;    // over the content of this turn's last tool message
  std::vector<std::string> after_tools;  // each has a result in this turn
};

enum class EventForm { kExplicit, kChunk };  // START, CONTENT…, END or a row of CHUNK events

// An assistant's message, or its reasoning.
struct TextStep {
  Template text;
  size_t chunk = 0;  // characters in a delta; 0: all of them
  Duration delay{};  // between deltas
  EventForm form = EventForm::kExplicit;
  bool reasoning = false;
};

struct ToolStep {
  Template id;  // empty: made from turn, rule and step
  bool has_id = false;
  std::string name;
  Template args;          // the text of the arguments, JSON or not
  size_t args_chunk = 0;  // characters in a delta; 0: all of them
  std::optional<Template> result;
  Duration delay{};  // before the result
  EventForm form = EventForm::kExplicit;
};

struct EventStep {
  Template event;  // its JSON
  bool ends_run = false;
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

using Step = std::variant<TextStep, ToolStep, EventStep, RawStep, UsageStep, WaitStep, FaultStep>;

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
  bool crlf = false;               // line ends of the stream
  int64_t repeat = 1;              // the steps are played so often
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
