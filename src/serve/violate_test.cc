#include "serve/violate.h"

#include <gtest/gtest.h>

#include <set>

#include "agent/recorder.h"
#include "base/text.h"
#include "net/sse.h"
#include "support/conversation.h"
#include "support/serve_support.h"

namespace assay {
namespace {

using Names = std::set<std::string>;

// What the tester itself finds in an answer of the server: the rules broken, and the text it heard.
class Judgement final : public SseSink {
 public:
  Judgement(const test::Response& response, ConformanceRequest request) : recorder_(talk_.collector, talk_.decoder, nullptr) {
    talk_.begin();
    recorder_.begin_run(turn(), std::move(request));
    SseParser parser(1 << 20);
    parser.feed(response.body, *this);
    parser.finish(*this);
    talk_.collector.end_run();
    RunEnd end;
    end.status = response.status;
    end.saw_carriage_return = parser.saw_carriage_return();
    end.unterminated = parser.last_was_unterminated();
    size_t type = response.head.find("Content-Type: ") + 14;
    end.content_type = response.head.substr(type, response.head.find("\r\n", type) - type);
    recorder_.end_run(end);
  }
  bool on_data(std::string_view data) override { return recorder_.on_event(data, talk_.at); }

  Names broken() {
    Names out;
    for (const auto& violation : turn().violations)
      out.insert(violation.rule);
    return out;
  }
  std::string text() { return turn().text(); }

 private:
  Turn& turn() { return talk_.transcript.turns.back(); }
  test::Conversation talk_;
  Recorder recorder_;
};

std::string request_body() {
  Json body = Json::parse(test::run_input("hi"));
  body["tools"] = {{{"name", "confirm"}, {"description", "asks"}}};
  return to_compact(body);
}

Judgement judged(std::string_view steps, std::string_view more) {
  auto server = test::serve_rule(R"({"steps":)" + std::string(steps) + std::string(more) + "}");
  ConformanceRequest request;
  request.thread_id = "t1";
  request.run_id = "r1";
  request.tools = {"confirm"};
  return Judgement(test::ask(*server, request_body()), request);
}

// The same things said in several ways.
constexpr std::string_view kScripts[] = {
    R"([{"text":"Hello"}])",
    R"([{"text":"Hello","form":"chunk","chunk":2},{"tool":{"name":"find","form":"chunk","result":1}}])",
    R"([{"step":"s"},{"reasoning":"hm"},{"state":{"n":1}},{"text":"Hello","chunk":1},{"tool":{"name":"find","result":{"a":1}}},
        {"tool":{"name":"confirm"}},{"step_end":"s"},{"usage":[{"inputTokens":1}]}])",
};

TEST(Violate, AnAnswerWithoutItIsClean) {
  for (auto script : kScripts)
    EXPECT_EQ(judged(script, "").broken(), Names{}) << script;
}

TEST(Violate, EveryRuleOfTheCatalogueCanBeBrokenAlone) {
  for (const auto& rule : conformance_rules()) {
    std::string name(rule.name);
    auto row = std::find_if(breaches().begin(), breaches().end(), [&](const Breach& b) { return b.rule == rule.name; });
    ASSERT_NE(row, breaches().end()) << "no switch for " << name;
    for (auto script : kScripts) {
      Judgement judgement = judged(script, R"(,"violate":")" + name + "\"");
      EXPECT_EQ(judgement.broken(), Names{name}) << name << " in " << script;
      EXPECT_EQ(judgement.text(), name == "empty-stream" ? "" : "Hello") << name << " in " << script;
    }
  }
  EXPECT_EQ(breaches().size(), conformance_rules().size());
}

TEST(Violate, SeveralAtOnce) {
  EXPECT_EQ(
      judged(kScripts[0], R"(,"violate":["not-json","first-event","crlf-framing","usage-total","run-id-mismatch"])").broken(),
      (Names{"not-json", "first-event", "crlf-framing", "usage-total", "run-id-mismatch"}));
}

TEST(Violate, RepeatsWhatTheStepsSent) {
  auto server = test::serve_rule(R"({"violate":["tool-dup-start","duplicate-result"],"steps":[
    {"tool":{"name":"a","id":"c1","result":1}},{"tool":{"name":"b","id":"c2","result":2}}]})");
  std::string events = test::events_of(test::ask(*server, request_body()));
  EXPECT_NE(events.find("TOOL_CALL_START\",\"toolCallId\":\"c1\",\"toolCallName\":\"a\"}\n"
                        "{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c1\""),
            std::string::npos);
  EXPECT_EQ(split(events, '\n').size(), 1 + 4 + 4 + 1 + 1 + 1 + 1u) << events;
}

TEST(Violate, WithoutAToolOfTheClientNothingIsAnswered) {
  auto server = test::serve_rule(R"({"violate":"frontend-tool-answered","steps":[{"text":"x"}]})");
  EXPECT_EQ(test::ask(*server, test::run_input("hi")).body.find("TOOL_CALL"), std::string::npos);
}

TEST(Violate, AMisspeltRuleIsAMistake) {
  Reader reader;
  read_serve_plan(reader, test::node_from(R"({"agents":{"a":{"rules":[{"steps":[],"violate":["not-jsn",1]}]}}})"));
  ASSERT_EQ(reader.errors().size(), 2u);
  EXPECT_EQ(reader.errors()[0].message, "`violate` cannot be \"not-jsn\"");
  EXPECT_EQ(reader.errors()[0].hint, "did you mean not-json?");
}

}  // namespace
}  // namespace assay
