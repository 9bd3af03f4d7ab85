#include "run/probes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "agent/throttle.h"
#include "base/text.h"
#include "net/http_client.h"
#include "run/probe_thread.h"
#include "run/random_id.h"

namespace assay {
namespace asio = boost::asio;
namespace {

constexpr size_t kThreads = 4;  // at a time

// Must the agent answer, or may it refuse what it was sent?
enum class Duty { kAnswer, kAnswerOrRefuse };

bool succeeded(Outcome outcome) { return outcome == Outcome::kSuccess || outcome == Outcome::kInterrupt; }

// An error of the run or of the request, said properly.
bool refused(const ProbeThread::Answer& answer) {
  return answer.turn->outcome == Outcome::kRunError || (answer.status >= 400 && answer.status < 500);
}

void worsen(ProbeResult& result, Grade grade, const std::string& note) {
  result.grade = std::max(result.grade, grade);
  if (!note.empty()) result.notes.push_back(note);
}

// Takes one more answer into the result. `label` says which one of several, or is empty.
void add_answer(ProbeResult& result, const ProbeThread::Answer& answer, Duty duty, const std::string& label) {
  const Turn& turn = *answer.turn;
  result.answered = result.answered || answer.status != 0;
  result.events += turn.events;
  for (Violation violation : turn.violations) {
    violation.message = label + violation.message;
    result.violations.push_back(std::move(violation));
  }
  if (succeeded(result.outcome)) result.outcome = turn.outcome;
  worsen(result, grade_of(turn.violations), {});
  if (!answer.stranger.empty()) worsen(result, Grade::kFail, label + "it holds " + answer.stranger);
  if (succeeded(turn.outcome)) return;
  if (duty == Duty::kAnswerOrRefuse && refused(answer))
    worsen(result, Grade::kWarn, label + "refused: " + turn.error);
  else
    worsen(result, Grade::kFail, label + turn.error);
}

class Prober {
 public:
  Prober(const Env& env, const ProbePlan& plan, const std::function<void(const ProbeResult&)>& told)
      : plan_(plan),
        told_(told),
        loop_(*env.clock),
        http_(loop_),
        throttle_(loop_, 0),
        decoder_(plan.limits.json),
        random_(env.entropy),
        agent_(make_agent(plan.agent, plan.limits, {&loop_, &http_, &throttle_, &random_})),
        services_{loop_, *agent_, decoder_, random_, plan.agent.endpoint},
        signals_(loop_.io()) {
    if (env.signal_fd >= 0) signals_.assign(dup(env.signal_fd));
  }

  int run() {
    watch_signals();
    loop_.spawn(all());
    loop_.run();
    return signal_;
  }

 private:
  Task<void> all() {
    ProbeThread conversation(services_);
    bool reached = co_await simple("plain turn", conversation, Duty::kAnswer, plan_.message, Json::array());
    if (reached) {
      co_await simple("second turn", conversation, Duty::kAnswer, plan_.message, Json::array());
      ProbeThread odd(services_);
      co_await simple("result of an unknown tool call", odd, Duty::kAnswerOrRefuse, plan_.message, unknown_result());
      ProbeThread silent(services_);
      co_await simple("empty message", silent, Duty::kAnswerOrRefuse, "", Json::array());
      co_await parallel();
    }
    boost::system::error_code ignored;
    signals_.close(ignored);
  }

  // A conversation whose assistant called nothing, and a result of a call all the same.
  Json unknown_result() {
    Json out = Json::array();
    out.push_back({{"id", random_id(random_)}, {"role", "user"}, {"content", plan_.message}});
    out.push_back({{"id", random_id(random_)}, {"role", "assistant"}, {"content", "One moment."}});
    Json result = {{"id", random_id(random_)}, {"role", "tool"}, {"content", "{\"ok\":true}"}};
    result["toolCallId"] = "call-" + random_id(random_);
    out.push_back(std::move(result));
    return out;
  }

  // One question in one thread. True: a stream came, or its beginning.
  Task<bool> simple(std::string name, ProbeThread& thread, Duty duty, std::string text, Json before) {
    if (stop_.cancelled()) co_return false;
    ProbeResult result;
    result.name = name;
    Time start = loop_.now();
    ProbeThread::Ask question;
    question.text = text;
    question.before_last = before;
    ProbeThread::Answer answer = co_await thread.ask(std::move(question), stop_);
    add_answer(result, answer, duty, "");
    result.duration = loop_.now() - start;
    if (!stop_.cancelled()) told_(result);
    co_return result.answered&& result.outcome != Outcome::kHttpError;
  }

  struct Lane {
    explicit Lane(ProbeServices& services) : thread(services), nonce("nonce-" + random_id(services.random).substr(0, 13)) {}
    ProbeThread thread;
    std::string nonce;
    ProbeThread::Answer answer;
  };

  Task<void> parallel() {
    if (stop_.cancelled()) co_return;
    ProbeResult result;
    result.name = fmt::format("{} threads in parallel", kThreads);
    Time start = loop_.now();
    std::vector<std::unique_ptr<Lane>> lanes;
    for (size_t i = 0; i < kThreads; ++i)
      lanes.push_back(std::make_unique<Lane>(services_));
    std::vector<ProbeThread::Ask> questions;
    for (size_t i = 0; i < kThreads; ++i)
      questions.push_back(question_of(lanes, i));
    Gate done(loop_);
    size_t left = kThreads;
    for (size_t i = 0; i < kThreads; ++i)
      loop_.spawn(ask_in(*lanes[i], std::move(questions[i]), left, done));
    co_await done.wait();
    for (size_t i = 0; i < kThreads; ++i)
      add_answer(result, lanes[i]->answer, Duty::kAnswer, fmt::format("answer {}: ", i + 1));
    result.duration = loop_.now() - start;
    if (!stop_.cancelled()) told_(result);
  }

  ProbeThread::Ask question_of(const std::vector<std::unique_ptr<Lane>>& lanes, size_t mine) const {
    ProbeThread::Ask out;
    out.text = fmt::format("{} ({})", plan_.message, lanes[mine]->nonce);
    for (size_t i = 0; i < lanes.size(); ++i) {
      if (i == mine) continue;
      out.strangers.emplace_back(lanes[i]->nonce, fmt::format("the nonce of question {}", i + 1));
      out.strangers.emplace_back(lanes[i]->thread.thread_id(), fmt::format("the threadId of question {}", i + 1));
      out.strangers.emplace_back(lanes[i]->thread.run_id(), fmt::format("the runId of question {}", i + 1));
    }
    return out;
  }

  Task<void> ask_in(Lane& lane, ProbeThread::Ask question, size_t& left, Gate& done) {
    lane.answer = co_await lane.thread.ask(std::move(question), stop_);
    if (--left == 0) done.open();
  }

  void watch_signals() {
    if (!signals_.is_open()) return;
    signals_.async_wait(asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code ec) {
      char number = 0;
      if (ec || ::read(signals_.native_handle(), &number, 1) != 1) return;
      signal_ = number;
      stop_.cancel(CancelReason::kInterrupt);
    });
  }

  const ProbePlan& plan_;
  const std::function<void(const ProbeResult&)>& told_;
  Loop loop_;
  HttpClient http_;
  Throttle throttle_;
  EventDecoder decoder_;
  std::mt19937_64 random_;
  std::unique_ptr<Agent> agent_;
  ProbeServices services_;
  asio::posix::stream_descriptor signals_;
  CancelToken stop_;
  int signal_ = 0;
};

}  // namespace

Grade grade_of(const std::vector<Violation>& violations) {
  bool any_error =
      std::any_of(violations.begin(), violations.end(), [](const auto& v) { return v.severity == Severity::kError; });
  return any_error ? Grade::kFail : violations.empty() ? Grade::kPass : Grade::kWarn;
}

int run_probes(const Env& env, const ProbePlan& plan, const std::function<void(const ProbeResult&)>& told) {
  return Prober(env, plan, told).run();
}

}  // namespace assay
