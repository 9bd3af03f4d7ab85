#include "run/live_stage.h"

#include <fmt/format.h>

#include "base/text.h"
#include "net/process.h"
#include "run/hooks.h"
#include "run/random_id.h"

namespace assay {
namespace {

class LiveStage final : public Stage {
 public:
  LiveStage(CaseServices& services, const Case& c, std::string* log)
      : s_(services), case_(c), log_(log), groups_(services.loop, services.processes) {}

  std::string new_id() override { return random_id(s_.random); }

  Task<HookOutcome> run_hook(Hook hook, CancelToken token) override {
    HookShell here = shell();
    HookOutcome outcome = co_await assay::run_hook(s_.loop, here, std::move(hook), token);
    co_return outcome;
  }

  Task<std::optional<HookReport>> run_teardown(Hook hook, CancelToken token) override {
    HookShell here = shell();
    HookOutcome outcome = co_await assay::run_hook(s_.loop, here, std::move(hook), token);
    co_return outcome.report;
  }

  Task<ToolAnswer> call_tool(const ToolStub& stub, const ToolCall& call, size_t earlier, CancelToken token) override {
    ToolAnswer answer;
    Json arguments = call.arguments;
    if (stub.delay > Duration{}) co_await sleep_for(s_.loop, stub.delay, token);
    if (stub.kind == ToolStub::Kind::kCommand) {
      HookShell here = shell();
      answer = co_await run_stub(s_.loop, here, stub, std::move(arguments), token);
    } else {
      answer = reply(stub, arguments, earlier);
    }
    answer.at = s_.loop.now();
    co_return answer;
  }

  Task<RunEnd> run_agent(const AgentSpec& spec, Request request, EventSink& sink, CancelToken token) override {
    if (!agent_) agent_ = make_agent(spec, case_.limits, s_.agents);
    RunEnd end = co_await agent_->run(std::move(request), sink, token);
    co_return end;
  }

  Task<Result<void>> end(bool) override {
    co_await groups_.end();
    co_return Result<void>();
  }

 private:
  HookShell shell() { return {s_.env, groups_, case_.directory, case_.limits.hook_output_bytes, log_}; }

  static ToolAnswer reply(const ToolStub& stub, const Json& arguments, size_t earlier) {
    if (stub.kind == ToolStub::Kind::kUnanswered) return {};
    for (const auto& rule : stub.rules)
      if (rule.matches(arguments)) return {true, rule.reply, kNoTime, {}};
    if (!stub.replies.empty()) return {true, stub.replies[std::min(earlier, stub.replies.size() - 1)], kNoTime, {}};
    ToolAnswer none;
    none.problem = fmt::format("no entry of `match` fits {}: add one without `args` for all other calls",
                               shorten(to_compact(arguments), 200));
    return none;
  }

  CaseServices& s_;
  const Case& case_;
  std::string* log_;
  ProcessGroups groups_;
  std::unique_ptr<Agent> agent_;
};

}  // namespace

std::unique_ptr<Stage> make_live_stage(CaseServices& services, const Case& c, std::string* log) {
  return std::make_unique<LiveStage>(services, c, log);
}

}  // namespace assay
