#include <gtest/gtest.h>

#include "serve/threads.h"
#include "support/serve_support.h"

namespace assay {
namespace {

using test::ask;
using test::Client;
using test::events_of;
using test::Response;
using test::serve;
using test::serve_rule;

constexpr std::string_view kAgents = R"({"agents":{"a b":{"rules":[
  {"when":{"message":"slow"},"steps":[{"text":"0123456789","chunk":1,"delay_ms":30}]},
  {"when":{"message":"sleep"},"steps":[{"text":"a"},{"wait_ms":60000},{"text":"never"}]},
  {"steps":[{"text":"Hello {{message}}"}]}]}}})";

Json input(std::string_view message, std::string_view thread = "t1", std::string_view run = "r1") {
  Json out = Json::parse(test::run_input(message, thread, run));
  out["messages"][0]["id"] = "u-" + std::string(message);
  out["tools"] = Json::array();
  out["context"] = Json::array();
  return out;
}

std::string envelope(std::string_view method, Json body, std::string_view agent = "a b") {
  return to_compact({{"method", method}, {"params", {{"agentId", agent}}}, {"body", std::move(body)}});
}

Response get(const ScriptServer& server, std::string_view path) {
  Client client(server.port());
  client.send("GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n");
  return client.read();
}

Response post_text(const ScriptServer& server, std::string_view path, std::string_view body) {
  Client client(server.port());
  client.send("POST " + std::string(path) + " HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
  return client.read();
}

TEST(Copilot, RunsAndConnectsByEnvelope) {
  auto server = serve(kAgents);
  Response first = ask(*server, envelope("agent/run", input("one")), "/copilotkit");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(events_of(first), R"({"type":"RUN_STARTED","threadId":"t1","runId":"r1","input":{"threadId":"t1","runId":"r1",)"
                              R"("messages":[{"id":"u-one","role":"user","content":"one"}],"tools":[],"context":[]}}
{"type":"TEXT_MESSAGE_START","messageId":"m-1-2-0","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1-2-0","delta":"Hello one"}
{"type":"TEXT_MESSAGE_END","messageId":"m-1-2-0"}
{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}
)");
  // The agent's own URL takes the envelope too, and a message known to the thread is not repeated in RUN_STARTED.
  Json second_input = input("one", "t1", "r2");
  second_input["messages"].push_back({{"id", "u-two"}, {"role", "user"}, {"content", "two"}});
  Response second = ask(*server, envelope("agent/run", second_input), "/agents/a%20b");
  EXPECT_NE(second.body.find(R"("messages":[{"id":"u-two","role":"user","content":"two"}])"), std::string::npos);

  Response connect = ask(*server, envelope("agent/connect", input("x", "t1", "r3")), "/copilotkit");
  EXPECT_EQ(connect.body, first.body + second.body);
  Response unknown = ask(*server, envelope("agent/connect", input("x", "t9")), "/copilotkit");
  EXPECT_EQ(unknown.status, 200);
  EXPECT_NE(unknown.head.find("text/event-stream"), std::string::npos);
  EXPECT_EQ(unknown.body, "");
}

TEST(Copilot, SpeaksMultiRoute) {
  auto server = serve(kAgents);
  Response run = ask(*server, to_compact(input("hi")), "/copilotkit-multi/agent/a%20b/run");
  EXPECT_NE(run.body.find("Hello hi"), std::string::npos);
  EXPECT_EQ(ask(*server, to_compact(input("x")), "/copilotkit-multi/agent/a%20b/connect").body, run.body);
  EXPECT_EQ(get(*server, "/copilotkit-multi/info").body, ask(*server, R"({"method":"info"})", "/copilotkit").body);
  EXPECT_NE(get(*server, "/copilotkit-multi/info").body.find(R"("agents":{"a b":{"name":"a b")"), std::string::npos);
  Response refused = ask(*server, envelope("agent/run", input("hi")), "/copilotkit-multi");
  EXPECT_EQ(refused.status, 404);
  EXPECT_NE(refused.body.find(R"("code":"single_route_envelope_against_multi_route_runtime")"), std::string::npos);
  EXPECT_EQ(get(*server, "/copilotkit-multi/nothing").status, 404);
  EXPECT_EQ(get(*server, "/copilotkit-multi/agent/a%20b/run").status, 404);
  EXPECT_EQ(ask(*server, to_compact(input("x")), "/copilotkit-multi/agent/other/run").status, 404);
  EXPECT_EQ(post_text(*server, "/copilotkit-multi/agent/a%20b/run", "{}").status, 415);
}

TEST(Copilot, RefusesAsTheRuntimeDoes) {
  auto server = serve(kAgents);
  auto refusal = [&](std::string_view body, std::string_view path = "/copilotkit") {
    Response response = ask(*server, body, path);
    EXPECT_TRUE(parse_json(response.body)) << response.body;
    return std::to_string(response.status) + " " + response.body;
  };
  EXPECT_EQ(refusal("{"), "400 {\"error\":\"invalid_request\",\"message\":\"Invalid JSON payload\"}\n");
  EXPECT_EQ(refusal("{}"), "400 {\"error\":\"invalid_request\",\"message\":\"Missing method field\"}\n");
  EXPECT_EQ(refusal(R"({"method":"agent/dance"})"),
            "400 {\"error\":\"invalid_request\",\"message\":\"Unsupported method 'agent/dance'\"}\n");
  std::string no_agent = "400 {\"error\":\"invalid_request\",\"message\":\"Missing or invalid parameter 'agentId'\"}\n";
  for (std::string_view body : {R"({"method":"agent/run"})", R"({"method":"agent/run","params":{"agentId":1}})"})
    EXPECT_EQ(refusal(body), no_agent);
  EXPECT_EQ(refusal(R"({"method":"agent/run","params":{"agentId":"a b"}})"),
            "400 {\"error\":\"invalid_request\",\"message\":\"Missing request body for JSON handler\"}\n");
  std::string unknown = "404 {\"error\":\"Agent not found\",\"message\":\"Agent 'x' does not exist\"}\n";
  EXPECT_EQ(refusal(envelope("agent/run", input("hi"), "x")), unknown);
  EXPECT_EQ(refusal(envelope("agent/run", input("hi"), "x"), "/agents/a%20b"), unknown);
  Json lacking = input("hi");
  lacking.erase("tools");
  lacking["context"] = 1;
  EXPECT_EQ(refusal(envelope("agent/run", lacking)),
            "400 {\"error\":\"Invalid request body\",\"details\":[{\"code\":\"invalid_type\",\"expected\":\"array\",\"received\":"
            "\"undefined\",\"path\":[\"tools\"],\"message\":\"Required\"},{\"code\":\"invalid_type\",\"expected\":\"array\","
            "\"received\":\"number\",\"path\":[\"context\"],\"message\":\"Expected array, received number\"}]}\n");
  Json nameless = input("hi");
  nameless["messages"] = {1, {{"role", "user"}}};
  EXPECT_NE(refusal(envelope("agent/run", nameless)).find("[\"messages\",1,\"id\"]"), std::string::npos);
  EXPECT_NE(refusal(envelope("agent/run", nullptr)).find("Invalid request body"), std::string::npos);
  EXPECT_EQ(refusal("{}", "/copilotkit-multi/agent/%FF%0A/run"),
            "404 {\"error\":\"Agent not found\",\"message\":\"Agent '\xEF\xBF\xBD\\n' does not exist\"}\n");
  EXPECT_EQ(post_text(*server, "/copilotkit", "{}").status, 415);
  EXPECT_EQ(get(*server, "/copilotkit").status, 405);
}

TEST(Copilot, ABusyThreadAnswersNothing) {
  auto server = serve(kAgents);
  Client slow(server->port());
  slow.post("/copilotkit", envelope("agent/run", input("slow")));
  ASSERT_TRUE(slow.read_until("\"delta\":\"1\""));
  Response busy = ask(*server, envelope("agent/run", input("two", "t1", "r2")), "/copilotkit");
  EXPECT_EQ(busy.status, 200);
  EXPECT_EQ(busy.body, "");
  EXPECT_NE(ask(*server, envelope("agent/run", input("two", "t2")), "/copilotkit").body.find("Hello two"), std::string::npos);
  // Who connects meanwhile gets what was sent and what comes.
  Response connect = ask(*server, envelope("agent/connect", input("x")), "/copilotkit");
  EXPECT_EQ(connect.body, slow.read().body);
  EXPECT_NE(ask(*server, envelope("agent/run", input("two", "t1", "r3")), "/copilotkit").body.find("Hello two"),
            std::string::npos);
}

TEST(Copilot, StopsARun) {
  auto server = serve(kAgents);
  auto stop = [&] {
    return ask(*server, R"({"method":"agent/stop","params":{"agentId":"a b","threadId":"t1"}})", "/copilotkit").body;
  };
  EXPECT_EQ(stop(), "{\"stopped\":false,\"message\":\"No active run for thread 't1'.\"}\n");
  Client slow(server->port());
  slow.post("/copilotkit", envelope("agent/run", input("slow")));
  ASSERT_TRUE(slow.read_until("\"delta\":\"0\""));
  EXPECT_EQ(
      stop(),
      "{\"stopped\":true,\"interrupt\":{\"type\":\"RUN_ERROR\",\"message\":\"Run stopped by user\",\"code\":\"STOPPED\"}}\n");
  std::string events = events_of(slow.read());
  EXPECT_EQ(events.find("\"delta\":\"9\""), std::string::npos);
  EXPECT_TRUE(
      events.ends_with("{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m-1-0-0\"}\n"
                       "{\"type\":\"RUN_FINISHED\",\"threadId\":\"t1\",\"runId\":\"r1\"}\n"))
      << events;
  Client asleep(server->port());
  asleep.post("/copilotkit", envelope("agent/run", input("sleep", "t1", "r2")));
  ASSERT_TRUE(asleep.read_until("TEXT_MESSAGE_END"));
  EXPECT_EQ(ask(*server, "", "/copilotkit-multi/agent/a%20b/stop/t1").body.substr(0, 15), "{\"stopped\":true");
  EXPECT_TRUE(asleep.read().complete);
}

TEST(Copilot, AClientThatLeavesFreesItsThread) {
  auto server = serve_rule(R"({"steps":[{"text":"a"},{"fault":"stall"}]})");
  auto run = [&](Client& client) {
    client.post("/copilotkit", envelope("agent/run", input("hi"), "a"));
    return client.read_until("\r\n\r\n") && client.read_until("TEXT_MESSAGE_END");
  };
  {
    Client client(server->port());
    ASSERT_TRUE(run(client));
  }
  bool free = false;
  for (int i = 0; i < 100 && !free; ++i) {
    Client client(server->port());
    client.post("/copilotkit", envelope("agent/run", input("hi"), "a"));
    ASSERT_TRUE(client.read_until("\r\n\r\n"));
    free = client.input().find("chunked") != std::string::npos;
  }
  EXPECT_TRUE(free);
}

TEST(Threads, TheLongestUnusedIsDropped) {
  ThreadStore store({2, 1 << 20});
  store.append(*store.open("a"), "events of a");
  store.open("b");
  EXPECT_EQ(store.find("a")->events, "events of a");
  auto b = store.find("b");
  store.open("a");
  store.open("c");
  EXPECT_TRUE(store.find("a"));
  EXPECT_FALSE(store.find("b"));
  store.append(*b, "a run that goes on");
  EXPECT_EQ(b->events, "");
}

TEST(Threads, BytesAreBounded) {
  ThreadStore store({100, 2000});
  auto a = store.open("a");
  auto b = store.open("b");
  EXPECT_TRUE(store.add_message(*a, "m"));
  EXPECT_FALSE(store.add_message(*a, "m"));
  store.append(*b, std::string(1000, 'x'));
  EXPECT_TRUE(store.find("a") && store.find("b"));
  store.append(*b, std::string(600, 'x'));
  EXPECT_FALSE(store.find("a"));
  EXPECT_TRUE(store.find("b"));
  store.append(*b, std::string(600, 'x'));
  EXPECT_FALSE(store.find("b"));
  EXPECT_TRUE(store.open("a")->events.empty());
}

}  // namespace
}  // namespace assay
