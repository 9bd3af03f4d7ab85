#pragma once
#include <memory>
#include <string>

#include "agent/agent.h"
#include "model/case.h"
#include "model/result.h"
#include "model/tool_stub.h"

namespace assay {

// What a hook did, and the variables it set.
struct HookOutcome {
  HookReport report;
  Json variables = Json::object();
};

// A stub's answer to one call.
struct ToolAnswer {
  bool answered = false;
  ToolReply reply;
  Time at = kNoTime;
  std::string problem;  // the stub itself broke: the case ends as `error`
};

// Everything a case meets outside itself: the agent, the commands it runs, the ids it makes up. Live, recorded on a tape,
// or played from one. Belongs to one case.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::string new_id() = 0;
  virtual Task<HookOutcome> run_hook(Hook hook, CancelToken token) = 0;
  // None: there is nobody to clean up after.
  virtual Task<std::optional<HookReport>> run_teardown(Hook hook, CancelToken token) = 0;
  // `earlier`: how many answers this stub has given in the case.
  virtual Task<ToolAnswer> call_tool(const ToolStub& stub, const ToolCall& call, size_t earlier, CancelToken token) = 0;
  virtual Task<RunEnd> run_agent(const AgentSpec& spec, Request request, EventSink& sink, CancelToken token) = 0;
  virtual void end_turn() {}
  // The case is over; `whole`: nobody interrupted it. A problem with the stage itself is an error of the case.
  virtual Task<Result<void>> end(bool whole) = 0;
};

}  // namespace assay
