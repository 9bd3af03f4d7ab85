#include "run/case_run.h"

#include <fmt/format.h>

#include "agent/collector.h"
#include "agent/recorder.h"
#include "agent/throttle.h"
#include "base/text.h"
#include "check/block.h"
#include "check/check.h"
#include "run/hooks.h"

namespace assay {
namespace {

std::string new_id(std::mt19937_64& random) {
  uint64_t a = random();
  uint64_t b = random();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", a >> 32, a >> 16 & 0xffff, a & 0xfff, (b >> 48 & 0x3fff) | 0x8000,
                     b & 0xffffffffffff);
}

std::string describe(const Errors& errors) {
  std::string out;
  for (const auto& error : errors) {
    if (!out.empty()) out += "; ";
    if (error.place.line > 0) out += fmt::format("{}:{}:{}: ", error.place.file, error.place.line, error.place.column);
    out += error.message;
  }
  return out;
}

// One case on its way. The members are what the stages hand on.
class CaseRun {
 public:
  CaseRun(CaseServices& services, const Case& c, CancelToken stop)
      : s_(services),
        case_(c),
        stop_(stop),
        token_(stop.child()),
        limit_(c.timeout.value_or(services.timeout)),
        result_(blank_result(c)),
        variables_(c.variables),
        groups_(services.loop, services.processes),
        collector_(result_.transcript, services.decoder),
        recorder_(collector_, services.decoder, services.debug ? &result_.log : nullptr) {}

  Task<CaseResult> run() {
    Time start = s_.loop.now();
    {
      Deadline deadline(s_.loop, limit_, token_);
      bool ready = co_await run_hooks();
      if (ready && read_plan()) co_await converse();
    }
    if (token_.cancelled()) cut();
    co_await run_teardown();
    co_await groups_.end();
    result_.duration = s_.loop.now() - start;
    result_.messages_count = static_cast<int>(collector_.history().messages().size());
    co_return std::move(result_);
  }

 private:
  void end(Status status, std::string error) {
    result_.status = status;
    result_.error = std::move(error);
  }

  // The token was cancelled: whatever the stages made of it, this is what happened.
  void cut() {
    switch (token_.reason()) {
      case CancelReason::kDeadline: return end(Status::kTimeout, deadline_message());
      case CancelReason::kInterrupt: return end(Status::kSkipped, "interrupted while it ran");
      case CancelReason::kFailFast: return end(Status::kSkipped, "cancelled by --fail-fast: another case did not pass");
      case CancelReason::kNone: return;
    }
  }

  std::string deadline_message() const {
    std::string message = fmt::format("timeout after {}", format_duration(limit_));
    const auto& turns = result_.transcript.turns;
    if (!turns.empty() && turns.back().outcome == Outcome::kTimeout)
      return fmt::format("{}: [turn {}] {}", message, turns.back().number, turns.back().error);
    return message;
  }

  HookShell shell() {
    return {s_.env, groups_, case_.directory, case_.limits.hook_output_bytes, variables_, s_.debug ? &result_.log : nullptr};
  }

  Task<bool> run_hooks() {
    HookShell here = shell();
    for (size_t i = 0; i < s_.suite.hook_count(case_, Suite::HookList::kHooks); ++i) {
      auto hook = s_.suite.hook(case_, Suite::HookList::kHooks, i, variables_);
      if (!hook) {
        end(Status::kError, "Hook failed: " + describe(hook.error()));
        co_return false;
      }
      HookReport report = co_await run_hook(s_.loop, here, *hook, token_);
      result_.hooks.push_back(report);
      if (!report.ok) {
        end(Status::kError, fmt::format("Hook failed: {}: {}", report.command, report.error));
        co_return false;
      }
    }
    co_return true;
  }

  // Always, whatever became of the case; failures are reported and change nothing.
  Task<void> run_teardown() {
    HookShell here = shell();
    for (size_t i = 0; i < s_.suite.hook_count(case_, Suite::HookList::kTeardown); ++i) {
      auto hook = s_.suite.hook(case_, Suite::HookList::kTeardown, i, variables_);
      HookReport report;
      if (hook)
        report = co_await run_hook(s_.loop, here, *hook, s_.teardown);
      else
        report.ok = false, report.error = describe(hook.error());
      report.teardown = true;
      result_.hooks.push_back(std::move(report));
    }
  }

  bool read_plan() {
    auto plan = s_.suite.plan(case_, variables_);
    if (!plan) return end(Status::kError, describe(plan.error())), false;
    plan_ = *plan;
    return true;
  }

  Task<void> converse() {
    const AgentSpec& spec = plan_->agent;
    agent_ = make_agent(spec, case_.limits, s_.agents);
    thread_id_ = spec.thread_id.empty() ? new_id(s_.random) : spec.thread_id;
    if (spec.has_state) collector_.set_state(spec.state);
    for (const auto& turn : plan_->turns) {
      co_await run_turn(turn);
      const Turn& record = result_.transcript.turns.back();
      bool answered = record.outcome == Outcome::kSuccess || record.outcome == Outcome::kInterrupt;
      if (!answered) {
        end(record.outcome == Outcome::kTimeout ? Status::kTimeout : Status::kError,
            fmt::format("[turn {}] {}", record.number, record.error));
        co_return;
      }
      size_t index = result_.transcript.turns.size() - 1;
      evaluate(turn_checks(spec.checks, plan_->checks, turn.checks), turn_scope(result_.transcript, index));
      if (result_.status != Status::kPassed) co_return;
    }
    evaluate(test_checks(spec.checks, plan_->checks), test_scope(result_.transcript));
  }

  Request request() const {
    const AgentSpec& spec = plan_->agent;
    Request out;
    out.thread_id = thread_id_;
    out.run_id = new_id(s_.random);
    out.messages = collector_.history().to_json(spec.full_history ? History::Extent::kFull : History::Extent::kLast);
    out.state = collector_.state().value_or(Json::object());
    out.context = spec.context;
    out.forwarded_props = spec.forwarded_props;
    return out;
  }

  Task<void> run_turn(const TurnPlan& turn) {
    co_await s_.agents.throttle->pass(token_);
    collector_.begin_turn(turn.input, new_id(s_.random), s_.loop.now());
    CancelToken patience = token_.child();
    std::optional<Deadline> deadline;
    if (turn.timeout) deadline.emplace(s_.loop, *turn.timeout, patience);
    Request asked = request();
    recorder_.begin_run(result_.transcript.turns.back(), {asked.thread_id, asked.run_id, {}, false, earlier_calls(), {}});
    RunEnd answer = co_await agent_->run(std::move(asked), recorder_, patience);
    Collector::Verdict verdict = collector_.end_run();
    recorder_.end_run(answer);
    end_turn(turn, answer, verdict);
  }

  std::vector<ConformanceRequest::EarlierCall> earlier_calls() const {
    std::vector<ConformanceRequest::EarlierCall> calls;
    for (const auto& turn : result_.transcript.turns)
      for (const auto& call : turn.tool_calls)
        calls.push_back({call.id, call.name, call.result.has_value()});
    return calls;
  }

  void end_turn(const TurnPlan& plan, const RunEnd& answer, const Collector::Verdict& verdict) {
    using Kind = RunEnd::Kind;
    if (answer.kind == Kind::kHttpError) return collector_.end_turn(Outcome::kHttpError, answer.message, answer.at);
    bool said_its_end = verdict.outcome != Outcome::kTruncated && verdict.outcome != Outcome::kEmpty;
    if (answer.kind == Kind::kCancelled || answer.kind == Kind::kTimeout)
      return collector_.end_turn(Outcome::kTimeout, cut_message(plan, answer, said_its_end), answer.at);
    if (answer.kind == Kind::kTransportError && (!said_its_end || !recorder_.refusal().empty()))
      return collector_.end_turn(Outcome::kTransportError, answer.message, answer.at);
    // An agent that has said how its run ended is believed, however the connection ended; the time is that word's.
    Time at = said_its_end ? collector_.last_event() : answer.at;
    collector_.end_turn(verdict.outcome, outcome_message(verdict, answer), at);
  }

  std::string cut_message(const TurnPlan& plan, const RunEnd& answer, bool said_its_end) const {
    std::string message = answer.message;
    if (said_its_end) message += ", though the agent said that its run was over: the server keeps the connection open";
    bool own_limit = answer.kind == RunEnd::Kind::kCancelled && !token_.cancelled();
    if (own_limit) message = fmt::format("timeout after {} (timeout_ms): {}", format_duration(*plan.timeout), message);
    return message;
  }

  static std::string outcome_message(const Collector::Verdict& verdict, const RunEnd& answer) {
    switch (verdict.outcome) {
      case Outcome::kSuccess:
      case Outcome::kInterrupt: return {};
      case Outcome::kEmpty: return fmt::format("no event came from {}", answer.message);
      case Outcome::kTruncated: return fmt::format("the stream ended without RUN_FINISHED or RUN_ERROR: {}", answer.message);
      case Outcome::kRunError: return fmt::format("the agent reported RUN_ERROR: {} ({})", verdict.error, answer.message);
      default: return fmt::format("{} ({})", verdict.error, answer.message);
    }
  }

  void evaluate(const std::vector<CheckPtr>& checks, const Scope& scope) {
    std::vector<std::string> failures;
    for (const auto& check : checks) {
      CheckResult result = check->evaluate(scope);
      if (!result.passed && !result.optional)
        failures.push_back(result.turn > 0 ? fmt::format("[turn {}] {}", result.turn, result.message) : result.message);
      result_.checks.push_back(std::move(result));
    }
    if (!failures.empty()) end(Status::kFailed, join(failures, "; "));
  }

  CaseServices& s_;
  const Case& case_;
  CancelToken stop_;
  CancelToken token_;  // `stop_`, and the case's own deadline
  Duration limit_;
  CaseResult result_;
  Variables variables_;
  ProcessGroups groups_;
  std::shared_ptr<const CasePlan> plan_;
  std::unique_ptr<Agent> agent_;
  std::string thread_id_;
  Collector collector_;
  Recorder recorder_;
};

}  // namespace

CaseResult blank_result(const Case& c) {
  CaseResult result;
  result.index = c.index;
  result.id = c.id;
  result.name = c.name;
  result.file = c.file;
  result.line = c.line;
  result.tags = c.tags;
  return result;
}

Task<CaseResult> run_case(CaseServices& services, const Case& c, CancelToken stop) {
  CaseRun run(services, c, stop);
  CaseResult result = co_await run.run();
  co_return result;
}

}  // namespace assay
