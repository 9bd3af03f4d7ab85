#include "run/probe_thread.h"

#include <fmt/format.h>

#include "run/random_id.h"
#include "run/turn_end.h"

namespace assay {

void ListeningSink::listen(std::string_view text) {
  for (const auto& [word, what] : strangers_)
    if (heard_.empty() && text.find(word) != std::string_view::npos) heard_ = what;
}

ProbeThread::ProbeThread(ProbeServices& services)
    : s_(services),
      thread_id_(random_id(services.random)),
      run_id_(random_id(services.random)),
      collector_(transcript_, services.decoder),
      recorder_(collector_, services.decoder, nullptr) {}

Task<ProbeThread::Answer> ProbeThread::ask(Ask question, CancelToken token) {
  ConformanceRequest expected;
  for (const auto& turn : transcript_.turns) {
    for (const auto& call : turn.tool_calls)
      expected.calls.push_back({call.id, call.name, call.result.has_value()});
    for (const auto& activity : turn.activities)
      expected.activities.push_back(text_form(activity["id"]));
  }
  collector_.begin_turn(question.text, random_id(s_.random), s_.loop.now());
  Turn& turn = transcript_.turns.back();

  Request request;
  expected.thread_id = request.thread_id = thread_id_;
  expected.run_id = request.run_id = std::exchange(run_id_, random_id(s_.random));
  request.messages = collector_.history().to_json(History::Extent::kFull);
  request.messages.insert(request.messages.end() - 1, question.before_last.begin(), question.before_last.end());
  request.state = collector_.state().value_or(Json::object());

  recorder_.begin_run(turn, std::move(expected));
  ListeningSink sink(recorder_, question.strangers);
  RunEnd end = co_await s_.agent.run(std::move(request), sink, token);
  Collector::Verdict verdict = collector_.end_run();
  recorder_.end_run(end);
  if (end.kind == RunEnd::Kind::kComplete && end.message == s_.url) end.message.clear();  // everybody knows it
  TurnEnd how = turn_end(end, verdict, recorder_.refusal().empty() ? Refused::kNo : Refused::kYes);
  collector_.end_turn(how.outcome, how.error, end.at == kNoTime ? s_.loop.now() : end.at);

  // A word may have come in pieces.
  sink.listen(turn.text());
  for (const auto& thought : turn.reasoning)
    sink.listen(thought);
  for (const auto& call : turn.tool_calls)
    sink.listen(call.arguments_text ? *call.arguments_text : to_compact(call.arguments));
  Answer answer;
  answer.turn = &turn;
  answer.status = end.status;
  answer.stranger = sink.heard();
  co_return answer;
}

}  // namespace assay
