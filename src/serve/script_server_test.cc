#include "serve/script_server.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "support/serve_support.h"

namespace assay {
namespace {

using test::ask;
using test::Client;
using test::events_of;
using test::Response;
using test::run_input;
using test::serve;
using test::serve_rule;

constexpr std::string_view kStarted = R"({"type":"RUN_STARTED","threadId":"t1","runId":"r1"})"
                                      "\n";
constexpr std::string_view kFinished = R"({"type":"RUN_FINISHED","threadId":"t1","runId":"r1"})"
                                       "\n";

// The events a rule's steps make, without those of autorun.
std::string played(std::string_view steps, std::string_view message = "hi") {
  auto server = serve_rule(R"({"steps":)" + std::string(steps) + "}");
  std::string out = events_of(ask(*server, run_input(message)));
  EXPECT_TRUE(out.starts_with(kStarted)) << out;
  EXPECT_TRUE(out.ends_with(kFinished)) << out;
  return out.substr(kStarted.size(), out.size() - kStarted.size() - kFinished.size());
}

TEST(ScriptServer, StreamsARun) {
  auto server = serve_rule(R"({"steps":[{"text":"Hello"}]})");
  Response response = ask(*server, run_input("hi"));
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.complete);
  EXPECT_NE(response.head.find("Content-Type: text/event-stream\r\n"), std::string::npos);
  EXPECT_EQ(response.body,
            "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t1\",\"runId\":\"r1\"}\n\n"
            "data: {\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m-1-0-0\",\"role\":\"assistant\"}\n\n"
            "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m-1-0-0\",\"delta\":\"Hello\"}\n\n"
            "data: {\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m-1-0-0\"}\n\n"
            "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t1\",\"runId\":\"r1\"}\n\n");
}

TEST(ScriptServer, CutsTextBetweenCharacters) {
  EXPECT_EQ(played(R"([{"text":"aö🌍b","chunk":2,"delay_ms":1}])"),
            R"({"type":"TEXT_MESSAGE_START","messageId":"m-1-0-0","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1-0-0","delta":"aö"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1-0-0","delta":"🌍b"}
{"type":"TEXT_MESSAGE_END","messageId":"m-1-0-0"}
)");
}

TEST(ScriptServer, SendsTextAsChunkEvents) {
  EXPECT_EQ(played(R"([{"text":"abc","chunk":2,"form":"chunk"},{"text":"","form":"chunk"},{"text":""}])"),
            R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"m-1-0-0","role":"assistant","delta":"ab"}
{"type":"TEXT_MESSAGE_CHUNK","messageId":"m-1-0-0","delta":"c"}
{"type":"TEXT_MESSAGE_CHUNK","messageId":"m-1-0-1","role":"assistant","delta":""}
{"type":"TEXT_MESSAGE_START","messageId":"m-1-0-2","role":"assistant"}
{"type":"TEXT_MESSAGE_END","messageId":"m-1-0-2"}
)");
}

TEST(ScriptServer, PlaysToolCalls) {
  EXPECT_EQ(played(R"([{"tool":{"name":"n","args":{"a":"ö"},"args_chunk":6,"result":{"ok":true},"delay_ms":2}},
                       {"tool":{"name":"raw","args_text":"{oops","id":"c-{{turn}}"}},
                       {"tool":{"name":"k","form":"chunk","result":"plain \"text\""}}])"),
            R"({"type":"TOOL_CALL_START","toolCallId":"call-1-0-0","toolCallName":"n"}
{"type":"TOOL_CALL_ARGS","toolCallId":"call-1-0-0","delta":"{\"a\":\""}
{"type":"TOOL_CALL_ARGS","toolCallId":"call-1-0-0","delta":"ö\"}"}
{"type":"TOOL_CALL_END","toolCallId":"call-1-0-0"}
{"type":"TOOL_CALL_RESULT","messageId":"t-1-0-0","toolCallId":"call-1-0-0","content":"{\"ok\":true}","role":"tool"}
{"type":"TOOL_CALL_START","toolCallId":"c-1","toolCallName":"raw"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c-1","delta":"{oops"}
{"type":"TOOL_CALL_END","toolCallId":"c-1"}
{"type":"TOOL_CALL_CHUNK","toolCallId":"call-1-0-2","toolCallName":"k","delta":"{}"}
{"type":"TOOL_CALL_RESULT","messageId":"t-1-0-2","toolCallId":"call-1-0-2","content":"plain \"text\"","role":"tool"}
)");
}

TEST(ScriptServer, PlaysTheOtherEvents) {
  EXPECT_EQ(played(R"([{"step":"s"},{"state":{"n":1}},{"state_delta":[{"op":"remove","path":"/n"}]},{"messages":[]},
                       {"reasoning":"hm"},{"custom":{"name":"c","value":[1]}},{"event":{"type":"X","t":"{{threadId}}"}},
                       {"wait_ms":1},{"step_end":"s"}])"),
            R"({"type":"STEP_STARTED","stepName":"s"}
{"type":"STATE_SNAPSHOT","snapshot":{"n":1}}
{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/n"}]}
{"type":"MESSAGES_SNAPSHOT","messages":[]}
{"type":"REASONING_START","messageId":"z-1-0-4"}
{"type":"REASONING_MESSAGE_START","messageId":"z-1-0-4","role":"reasoning"}
{"type":"REASONING_MESSAGE_CONTENT","messageId":"z-1-0-4","delta":"hm"}
{"type":"REASONING_MESSAGE_END","messageId":"z-1-0-4"}
{"type":"REASONING_END","messageId":"z-1-0-4"}
{"type":"CUSTOM","name":"c","value":[1]}
{"type":"X","t":"t1"}
{"type":"STEP_FINISHED","stepName":"s"}
)");
}

TEST(ScriptServer, ReplacesPlaceholders) {
  EXPECT_EQ(played(R"([{"text":"{{message}} {{turn}} {{runId}}"},{"state":{"m":"{{message}}"}}])", "say \"ä\""),
            R"({"type":"TEXT_MESSAGE_START","messageId":"m-1-0-0","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1-0-0","delta":"say \"ä\" 1 r1"}
{"type":"TEXT_MESSAGE_END","messageId":"m-1-0-0"}
{"type":"STATE_SNAPSHOT","snapshot":{"m":"say \"ä\""}}
)");
}

TEST(ScriptServer, PutsUsageIntoTheEnd) {
  auto server = serve_rule(R"({"steps":[{"usage":[{"inputTokens":1}]}]})");
  EXPECT_EQ(events_of(ask(*server, run_input("hi"))),
            std::string(kStarted) + R"({"type":"RUN_FINISHED","threadId":"t1","runId":"r1","usage":[{"inputTokens":1}]})" + "\n");
}

TEST(ScriptServer, AnErrorEndsTheRun) {
  auto server = serve_rule(R"({"steps":[{"error":{"message":"no","code":"E"}},{"text":"never"}]})");
  Response response = ask(*server, run_input("hi"));
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(events_of(response), std::string(kStarted) + R"({"type":"RUN_ERROR","message":"no","code":"E"})" + "\n");
}

TEST(ScriptServer, SendsOnlyTheStepsWithoutAutorun) {
  auto server = serve_rule(R"({"autorun":false,"crlf":true,"steps":[{"raw":"data: not json\n\n"},{"event":{"type":"X"}}]})");
  EXPECT_EQ(ask(*server, run_input("hi")).body, "data: not json\n\ndata: {\"type\":\"X\"}\r\n\r\n");
}

TEST(ScriptServer, RepeatsWithNewIds) {
  auto server = serve_rule(R"({"repeat":2,"steps":[{"text":"x","form":"chunk"}]})");
  EXPECT_EQ(events_of(ask(*server, run_input("hi"))),
            std::string(kStarted) + R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"m-1-0-0","role":"assistant","delta":"x"}
{"type":"TEXT_MESSAGE_CHUNK","messageId":"m-1-0-0-1","role":"assistant","delta":"x"}
)" + std::string(kFinished));
}

TEST(ScriptServer, LargeStreamsArriveWhole) {
  auto server = serve_rule(R"({"repeat":20000,"steps":[{"text":"0123456789","chunk":3}]})");
  Response response = ask(*server, run_input("hi"));
  EXPECT_TRUE(response.complete);
  std::string events = events_of(response);
  EXPECT_EQ(std::count(events.begin(), events.end(), '\n'), 2 + 20000 * 6);
}

TEST(ScriptServer, FaultsBreakTheStream) {
  auto with = [](std::string_view fault) {
    auto server = serve_rule(R"({"steps":[{"text":"x","form":"chunk"},{"fault":")" + std::string(fault) + R"("}]})");
    return ask(*server, run_input("hi"));
  };
  std::string before =
      std::string(kStarted) + R"({"type":"TEXT_MESSAGE_CHUNK","messageId":"m-1-0-0","role":"assistant","delta":"x"})" + "\n";
  Response cut = with("cut");
  EXPECT_FALSE(cut.complete);
  EXPECT_FALSE(cut.reset);
  EXPECT_EQ(events_of(cut), before);
  Response reset = with("reset");
  EXPECT_FALSE(reset.complete);
  EXPECT_TRUE(reset.reset);
  Response no_finish = with("no_finish");
  EXPECT_TRUE(no_finish.complete);
  EXPECT_EQ(events_of(no_finish), before);
  Response garbage = with("garbage");
  EXPECT_TRUE(garbage.complete);
  EXPECT_NE(garbage.body.find("\xff\xfe"), std::string::npos);
}

TEST(ScriptServer, AStalledStreamStaysOpenAndSilent) {
  auto server = serve_rule(R"({"steps":[{"fault":"stall"}]})");
  Client client(server->port());
  client.post("/agents/a", run_input("hi"));
  ASSERT_TRUE(client.read_until("RUN_STARTED"));
  ASSERT_TRUE(client.read_until("}\n\n\r\n"));
  EXPECT_FALSE(client.readable(50));
  server->stop();
  EXPECT_TRUE(client.readable(1000));
}

TEST(ScriptServer, AnswersWithAPageOrAStatus) {
  auto page = serve_rule(R"({"steps":[{"fault":"html"}]})");
  Response html = ask(*page, run_input("hi"));
  EXPECT_EQ(html.status, 200);
  EXPECT_NE(html.head.find("text/html"), std::string::npos);
  auto server = serve_rule(
      R"({"delay_ms":2,"http":{"status":503,"headers":{"Retry-After":"1"},"body":{"m":"{{message}}"},"content_type":"x/y"}})");
  Response busy = ask(*server, run_input("\"q\""));
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.body, R"({"m":"\"q\""})");
  EXPECT_NE(busy.head.find("Retry-After: 1\r\n"), std::string::npos);
  EXPECT_NE(busy.head.find("Content-Type: x/y\r\n"), std::string::npos);
}

constexpr std::string_view kRules = R"({"agents":{"a":{"rules":[
  {"when":{"tool_result":"yes"},"steps":[{"text":"confirmed"}]},
  {"when":{"after_tools":["confirm"]},"steps":[{"text":"refused"}]},
  {"when":{"message":"buy|checkout"},"times":1,"steps":[{"tool":{"name":"confirm"}}]},
  {"when":{"turn":2},"steps":[{"text":"second"}]},
  {"when":{"message":"/^HELLO/i"},"steps":[{"text":"hello"}]}]}}})";

std::string conversation(const std::vector<Json>& messages) {
  return to_compact({{"threadId", "t1"}, {"runId", "r1"}, {"messages", messages}});
}

TEST(ScriptServer, TheFirstRuleThatHoldsPlays) {
  auto server = serve(kRules);
  Json user = {{"role", "user"}, {"content", "please buy"}};
  Json call = {{"role", "assistant"}, {"toolCalls", {{{"id", "c1"}, {"function", {{"name", "confirm"}, {"arguments", "{}"}}}}}}};
  Json yes = {{"role", "tool"}, {"toolCallId", "c1"}, {"content", "yes"}};
  Json no = {{"role", "tool"}, {"toolCallId", "c1"}, {"content", {{{"type", "text"}, {"text", "no"}}}}};
  Json parts = {{"role", "user"}, {"content", {{{"type", "text"}, {"text", "Hello"}}, {{"type", "image"}}}}};
  auto said = [&](const std::vector<Json>& messages) { return events_of(ask(*server, conversation(messages))); };
  EXPECT_NE(said({user}).find("\"toolCallId\":\"call-1-2-0\""), std::string::npos);
  EXPECT_NE(said({user, call, yes}).find("\"messageId\":\"m-1-0-0-r1\",\"delta\":\"confirmed\""), std::string::npos);
  EXPECT_NE(said({user, call, no}).find("refused"), std::string::npos);
  EXPECT_NE(said({user, call, yes, user}).find("second"), std::string::npos);
  EXPECT_NE(said({parts}).find("hello"), std::string::npos);
}

TEST(ScriptServer, CountsTimesInEachThread) {
  auto server = serve(kRules);
  EXPECT_NE(ask(*server, run_input("buy", "t1")).body.find("confirm"), std::string::npos);
  EXPECT_NE(ask(*server, run_input("buy", "t1")).body.find("no rule matches message \\\"buy\\\" in turn 1 of agent \\\"a\\\""),
            std::string::npos);
  EXPECT_NE(ask(*server, run_input("buy", "t2")).body.find("confirm"), std::string::npos);
}

TEST(ScriptServer, NoRuleIsARunError) {
  auto server = serve(kRules);
  Response response = ask(*server, run_input("what"));
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(events_of(response).starts_with(std::string(kStarted) + R"({"type":"RUN_ERROR","message":"no rule matches)"));
}

TEST(ScriptServer, SameRequestsSameBytes) {
  constexpr std::string_view kPlan = R"({"agents":{"a":{"rules":[{"steps":[{"text":"x {{message}}","chunk":1},
    {"reasoning":"r"},{"tool":{"name":"n","result":1}}]}]}}})";
  auto first = serve(kPlan);
  auto second = serve(kPlan);
  Response one = ask(*first, run_input("hi"));
  ask(*first, run_input("other", "t2", "r2"));
  EXPECT_EQ(one.body, ask(*first, run_input("hi")).body);
  Response two = ask(*second, run_input("hi"));
  EXPECT_EQ(one.head + one.body, two.head + two.body);
}

TEST(ScriptServer, ListsAgentsAndRefusesTheRest) {
  std::vector<std::string> lines;
  ServeOptions options;
  options.log = [&](std::string_view line) { lines.emplace_back(line); };
  auto server = serve(R"({"agents":{"a b":{"rules":[{"steps":[]}]},"shop":{"rules":[]}}})", options);
  Client client(server->port());
  auto get = [&](std::string_view line) {
    client.send(std::string(line) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    return client.read();
  };
  EXPECT_EQ(get("GET /").body,
            "{\"agents\":[{\"name\":\"a b\",\"path\":\"/agents/a%20b\"},{\"name\":\"shop\",\"path\":\"/agents/shop\"}]}\n");
  Response method = get("GET /agents/shop");
  EXPECT_EQ(method.status, 405);
  EXPECT_NE(method.head.find("Allow: POST\r\n"), std::string::npos);
  EXPECT_EQ(get("GET /nothing").status, 404);
  client.post("/agents/shp", "{}");
  Response unknown = client.read();
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.body, "{\"error\":\"no agent \\\"shp\\\"; did you mean shop?\",\"agents\":[\"a b\",\"shop\"]}\n");
  for (std::string_view bad : {"{", "[]", "", R"({"messages":1})"}) {
    client.post("/agents/shop", bad);
    Response response = client.read();
    EXPECT_EQ(response.status, 400) << bad;
    EXPECT_TRUE(parse_json(response.body)) << response.body;
  }
  client.post("/agents/a%20b", "{}");
  EXPECT_EQ(events_of(client.read()), R"({"type":"RUN_STARTED","threadId":"thread-0","runId":"run-0"}
{"type":"RUN_FINISHED","threadId":"thread-0","runId":"run-0"}
)");
  server->stop();
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[0], "GET / 200");
  EXPECT_EQ(lines[8], "POST /agents/a%20b 200 (turn 0, rule 1)");
}

TEST(ScriptServer, HoldsManySlowStreams) {
  auto server = serve_rule(R"({"steps":[{"text":"0123456789","chunk":1,"delay_ms":20}]})");
  constexpr int kStreams = 500;
  std::vector<Client> clients;
  for (int i = 0; i < kStreams; ++i)
    clients.emplace_back(server->port());
  for (int i = 0; i < kStreams; ++i)
    clients[static_cast<size_t>(i)].post("/agents/a", run_input("hi", "t" + std::to_string(i)));
  int complete = 0;
  for (auto& client : clients)
    complete += client.read().complete;
  EXPECT_EQ(complete, kStreams);
}

TEST(ScriptServer, StopsWithManyOpenStreams) {
  auto server = serve_rule(R"({"steps":[{"text":"0123456789","chunk":1,"delay_ms":1}],"repeat":100000})");
  std::vector<Client> clients;
  for (int i = 0; i < 100; ++i)
    clients.emplace_back(server->port());
  for (auto& client : clients)
    client.post("/agents/a", run_input("hi"));
  for (auto& client : clients)
    ASSERT_TRUE(client.read_until("TEXT_MESSAGE_CONTENT"));
  server.reset();
  for (auto& client : clients)
    EXPECT_FALSE(client.read().complete);
}

}  // namespace
}  // namespace assay
