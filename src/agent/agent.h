#pragma once
#include <memory>
#include <random>
#include <string>

#include "model/case.h"
#include "model/transcript.h"
#include "net/loop.h"

namespace assay {

// What an agent is asked: the conversation so far, and everything that goes with it.
struct Request {
  std::string thread_id;
  std::string run_id;
  Json messages = Json::array();
  Json state = Json::object();
  Json tools = Json::array();
  Json context = Json::array();
  Json forwarded_props = Json::object();
  Json resume;           // answers to open interrupts; null: there are none
  bool connect = false;  // observe the thread, send nothing
};

// How the answer stopped arriving; kBroken: there is none to be had, whatever came before. What the agent said of its own end is
// in the events.
struct RunEnd {
  enum class Kind { kComplete, kHttpError, kTransportError, kTimeout, kCancelled, kBroken };
  Kind kind = Kind::kComplete;
  std::string message;  // the cause, with URL and status; for a complete answer: what came instead of events
  Time at = kNoTime;    // when it ended
  bool saw_carriage_return = false;
  bool unterminated = false;
  int status = 0;  // of the HTTP answer; 0: none came
  std::string content_type;
  bool ids_known = true;  // the answer was given to these very thread and run ids
};

// Takes each AG-UI event as JSON text with its arrival time, and the wire traffic for --debug.
class EventSink {
 public:
  virtual void on_request(Time at) = 0;  // before each attempt
  // False: a limit was passed, stop reading; `refusal` names it. The view is valid during the call.
  virtual bool on_event(std::string_view json, Time at) = 0;
  virtual std::string refusal() const = 0;
  virtual bool wants_log() const = 0;
  virtual void on_log(std::string_view line) = 0;

 protected:
  ~EventSink() = default;
};

// Anything that takes messages and answers with a stream of events. Belongs to one loop; serves many cases at a time.
class Agent {
 public:
  virtual ~Agent() = default;
  virtual Task<RunEnd> run(Request request, EventSink& sink, CancelToken token) = 0;
};

// What all agents of a loop share.
class HttpClient;
class Throttle;
struct AgentServices {
  Loop* loop = nullptr;
  HttpClient* http = nullptr;
  Throttle* throttle = nullptr;
  std::mt19937_64* random = nullptr;
};

// The agent a spec describes, by the table of kinds.
std::unique_ptr<Agent> make_agent(const AgentSpec& spec, const Limits& limits, AgentServices services);

}  // namespace assay
