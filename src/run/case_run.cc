#include "run/case_run.h"

#include <fmt/format.h>

#include "agent/collector.h"
#include "agent/recorder.h"
#include "base/text.h"
#include "check/block.h"
#include "check/check.h"
#include "run/resume.h"
#include "run/turn_end.h"

namespace assay {
namespace {

constexpr int kMostRounds = 25;

// Told to the agent.
Json tool_list(const std::vector<ToolStub>& stubs) {
  Json out = Json::array();
  for (const auto& stub : stubs) {
    Json tool = {{"name", stub.name}, {"description", stub.description}};
    if (!stub.parameters.is_null()) tool["parameters"] = stub.parameters;
    out.push_back(std::move(tool));
  }
  return out;
}

const ToolStub* find_stub(const std::vector<ToolStub>& stubs, const std::string& name) {
  auto found = std::find_if(stubs.begin(), stubs.end(), [&](const ToolStub& stub) { return stub.name == name; });
  return found == stubs.end() ? nullptr : &*found;
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
        stage_(services.make_stage(services, c, services.debug ? &result_.log : nullptr)),
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
    auto ended = co_await stage_->end(result_.status != Status::kSkipped);
    if (!ended && result_.status != Status::kSkipped) end(Status::kError, ended.error().message);
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

  Task<bool> run_hooks() {
    for (size_t i = 0; i < s_.suite.hook_count(case_, Suite::HookList::kHooks); ++i) {
      auto hook = s_.suite.hook(case_, Suite::HookList::kHooks, i, variables_);
      if (!hook) {
        end(Status::kError, "Hook failed: " + describe(hook.error()));
        co_return false;
      }
      HookOutcome outcome = co_await stage_->run_hook(*hook, token_);
      for (auto& [name, value] : outcome.variables.items())
        variables_.insert_or_assign(name, value);
      result_.hooks.push_back(outcome.report);
      if (!outcome.report.ok) {
        end(Status::kError, fmt::format("Hook failed: {}: {}", outcome.report.command, outcome.report.error));
        co_return false;
      }
    }
    co_return true;
  }

  // Always, whatever became of the case; failures are reported and change nothing.
  Task<void> run_teardown() {
    for (size_t i = 0; i < s_.suite.hook_count(case_, Suite::HookList::kTeardown); ++i) {
      auto hook = s_.suite.hook(case_, Suite::HookList::kTeardown, i, variables_);
      std::optional<HookReport> report;
      if (hook)
        report = co_await stage_->run_teardown(*hook, s_.teardown);
      else
        report.emplace(), report->ok = false, report->error = describe(hook.error());
      if (!report) continue;
      report->teardown = true;
      result_.hooks.push_back(std::move(*report));
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
    thread_id_ = spec.thread_id.empty() ? stage_->new_id() : spec.thread_id;
    if (spec.has_state) collector_.set_state(spec.state);
    for (const auto& turn : plan_->turns) {
      if (!read_resume(turn)) co_return;
      co_await run_turn(turn);
      stage_->end_turn();
      mute(turn);
      const Turn& record = result_.transcript.turns.back();
      bool answered = record.outcome == Outcome::kSuccess || record.outcome == Outcome::kInterrupt;
      if (!answered) {
        end(record.outcome == Outcome::kTimeout ? Status::kTimeout : Status::kError,
            fmt::format("[turn {}] {}", record.number, record.error));
      }
      if (result_.status != Status::kPassed) co_return;
      size_t index = result_.transcript.turns.size() - 1;
      evaluate(turn_checks(spec.checks, plan_->checks, turn.checks), turn_scope(result_.transcript, index));
      if (result_.status != Status::kPassed) co_return;
    }
    evaluate(test_checks(spec.checks, plan_->checks), test_scope(result_.transcript));
  }

  // Rules that are off are not listed either.
  void mute(const TurnPlan& turn) {
    std::erase_if(result_.transcript.turns.back().violations, [&](const Violation& violation) {
      return is_muted(plan_->agent.checks, plan_->checks, turn.checks, violation.rule);
    });
  }

  // What answers the interrupts that are open, for the next request. False: something is missing, or too much.
  bool read_resume(const TurnPlan& turn) {
    const auto& turns = result_.transcript.turns;
    const Turn* before = turns.empty() ? nullptr : &turns.back();
    resume_ = nullptr;
    command_resume_.reset();
    std::string mistake = resume_mistake(turn.resume.has_value(), before);
    if (mistake.empty() && turn.resume) {
      if (before->legacy_interrupt) return command_resume_ = *turn.resume, true;
      auto entries = resume_entries(*turn.resume, before->interrupts);
      if (entries) return resume_ = std::move(*entries), true;
      mistake = entries.error().message;
    }
    if (mistake.empty()) return true;
    Error at{ErrorKind::kInput, mistake, turn.place, {}};
    end(Status::kError, fmt::format("[turn {}] {}", turns.size() + 1, describe({at})));
    return false;
  }

  Request request(const TurnPlan& turn) {
    const AgentSpec& spec = plan_->agent;
    Request out;
    out.thread_id = thread_id_;
    out.run_id = stage_->new_id();
    out.messages = collector_.history().to_json(spec.full_history ? History::Extent::kFull : History::Extent::kLast);
    out.state = collector_.state().value_or(Json::object());
    out.tools = tool_list(plan_->tools);
    out.context = spec.context;
    out.forwarded_props = spec.forwarded_props;
    out.resume = std::exchange(resume_, nullptr);
    if (command_resume_) {
      if (!out.forwarded_props.is_object()) out.forwarded_props = Json::object();
      Json& command = out.forwarded_props["command"];
      if (!command.is_object()) command = Json::object();
      command["resume"] = *std::exchange(command_resume_, std::nullopt);
    }
    out.connect = turn.type == TurnType::kConnect;
    return out;
  }

  ConformanceRequest asked_for(const Request& request) const {
    ConformanceRequest out;
    out.thread_id = request.thread_id;
    out.run_id = request.run_id;
    out.connect = request.connect;
    if (!request.connect) out.calls = earlier_calls();
    for (const auto& stub : plan_->tools)
      out.tools.push_back(stub.name);
    for (const auto& turn : result_.transcript.turns)
      for (const auto& activity : turn.activities)
        out.activities.push_back(activity["id"].get<std::string>());
    return out;
  }

  Task<void> run_turn(const TurnPlan& turn) {
    if (turn.type == TurnType::kConnect) collector_.forget();
    bool speaks = turn.type == TurnType::kMessage && !turn.input.is_null();
    collector_.begin_turn(turn.input, speaks ? stage_->new_id() : std::string(), s_.loop.now());
    CancelToken patience = token_.child();
    std::optional<Deadline> deadline;
    if (turn.timeout) deadline.emplace(s_.loop, *turn.timeout, patience);
    for (int round = 1;; ++round) {
      Request asked = request(turn);
      bool judged = !is_muted(plan_->agent.checks, plan_->checks, turn.checks, "*");
      recorder_.begin_run(result_.transcript.turns.back(), judged ? std::optional(asked_for(asked)) : std::nullopt);
      RunEnd answer = co_await stage_->run_agent(plan_->agent, std::move(asked), recorder_, patience);
      Collector::Verdict verdict = collector_.end_run();
      recorder_.end_run(answer);
      end_turn(turn, answer, verdict);
      if (result_.transcript.turns.back().outcome != Outcome::kSuccess || turn.type == TurnType::kConnect) co_return;
      if (round == kMostRounds && has_open_stub())
        co_return end(Status::kError,
                      fmt::format("[turn {}] the agent called client-side tools in {} rounds of one turn, and again",
                                  result_.transcript.turns.back().number, kMostRounds));
      bool goes_on = co_await answer_tools(turn, patience);
      if (!goes_on) co_return;
      collector_.begin_round();
    }
  }

  // Does the turn have a call that would be answered?
  bool has_open_stub() const {
    const auto& calls = result_.transcript.turns.back().tool_calls;
    return std::any_of(calls.begin(), calls.end(), [&](const ToolCall& call) {
      const ToolStub* stub = find_stub(plan_->tools, call.name);
      bool speaks = stub ? stub->kind != ToolStub::Kind::kUnanswered : plan_->unmocked == Unmocked::kAnswer;
      return !call.result && speaks;
    });
  }

  // Answers the calls of the turn that nobody has answered and that a stub speaks for. True: the agent is run again.
  Task<bool> answer_tools(const TurnPlan& plan, CancelToken token) {
    Turn& turn = result_.transcript.turns.back();
    bool any = false;
    for (size_t i = 0; i < turn.tool_calls.size(); ++i) {
      if (turn.tool_calls[i].result) continue;
      const std::string name = turn.tool_calls[i].name;
      const ToolStub* stub = find_stub(plan_->tools, name);
      ToolAnswer answer;
      if (stub) {
        answer = co_await stage_->call_tool(*stub, turn.tool_calls[i], answers_[name]++, token);
      } else if (plan_->unmocked != Unmocked::kIgnore) {
        answer.answered = plan_->unmocked == Unmocked::kAnswer;
        answer.at = collector_.last_event();
        if (!answer.answered)
          answer.problem = "it was called, nobody answered, and no `tools` entry has its name (`unmocked: fail`)";
      }
      if (!answer.problem.empty()) {
        end(stub ? Status::kError : Status::kFailed,
            fmt::format("[turn {}] tool {}: {}", turn.number, quote(name), answer.problem));
        co_return false;
      }
      if (token.cancelled()) {
        std::string limit = plan.timeout && !token_.cancelled()
                                ? fmt::format("timeout after {} (timeout_ms): ", format_duration(*plan.timeout))
                                : "";
        collector_.end_turn(Outcome::kTimeout, fmt::format("{}the stub of tool {} had not answered", limit, quote(name)),
                            s_.loop.now());
        co_return false;
      }
      if (!answer.answered) continue;
      std::string id = turn.tool_calls[i].id;
      collector_.answer_call(id, stage_->new_id(), answer.reply, answer.at);
      any = true;
    }
    co_return any;
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
    bool nothing_there = plan.type == TurnType::kConnect && verdict.outcome == Outcome::kEmpty && answer.kind == Kind::kComplete;
    if (nothing_there) return collector_.end_turn(Outcome::kSuccess, {}, answer.at);
    TurnEnd ended = turn_end(answer, verdict, recorder_.refusal().empty() ? Refused::kNo : Refused::kYes);
    bool said_its_end = verdict.outcome != Outcome::kTruncated && verdict.outcome != Outcome::kEmpty;
    if (ended.outcome == Outcome::kTimeout) ended.error = cut_message(plan, answer, said_its_end);
    // Where the agent's word is believed, the time is that word's.
    bool its_word = said_its_end && ended.outcome == verdict.outcome;
    collector_.end_turn(ended.outcome, ended.error, its_word ? collector_.last_event() : answer.at);
  }

  std::string cut_message(const TurnPlan& plan, const RunEnd& answer, bool said_its_end) const {
    std::string message = answer.message;
    if (said_its_end) message += ", though the agent said that its run was over: the server keeps the connection open";
    bool own_limit = answer.kind == RunEnd::Kind::kCancelled && !token_.cancelled() && plan.timeout;
    if (own_limit) message = fmt::format("timeout after {} (timeout_ms): {}", format_duration(*plan.timeout), message);
    return message;
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
  std::unique_ptr<Stage> stage_;
  std::shared_ptr<const CasePlan> plan_;
  Json resume_;                         // of the turn that begins
  std::optional<Json> command_resume_;  // the same, as LangGraph had it
  TextMap<size_t> answers_;             // of each stub
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
