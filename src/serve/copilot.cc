// The CopilotKit runtime's way of speaking AG-UI: its routes, its envelope, its errors, its threads.
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "serve/stage.h"

namespace assay {
namespace {

constexpr size_t kMostShown = 200;  // of what the client sent, in an error

HttpReply invalid_request(int status, std::string_view message) {
  return json_reply(status, {{"error", "invalid_request"}, {"message", message}});
}

HttpReply agent_not_found(std::string_view name) {
  return json_reply(
      404, {{"error", "Agent not found"}, {"message", fmt::format("Agent '{}' does not exist", shorten(name, kMostShown))}});
}

// What the runtime's own schema asks of a RunAgentInput: more than AG-UI does.
struct NeededField {
  std::string_view name;
  std::string_view type;
};
constexpr std::array kNeeded = {
    NeededField{"threadId", "string"}, NeededField{"runId", "string"},  NeededField{"messages", "array"},
    NeededField{"tools", "array"},     NeededField{"context", "array"},
};

Json input_issues(const Json& input) {
  Json issues = Json::array();
  auto issue = [&](std::string_view expected, const Json* value, Json path) {
    std::string_view received = value ? json_type(*value) : "undefined";
    std::string message = value ? fmt::format("Expected {}, received {}", expected, received) : "Required";
    issues.push_back({{"code", "invalid_type"},
                      {"expected", expected},
                      {"received", received},
                      {"path", std::move(path)},
                      {"message", message}});
  };
  if (!input.is_object()) return issue("object", input.is_null() ? nullptr : &input, Json::array()), issues;
  for (const auto& [name, type] : kNeeded) {
    auto it = input.find(name);
    if (it == input.end() || json_type(*it) != type) issue(type, it == input.end() ? nullptr : &*it, Json::array({name}));
  }
  if (!issues.empty()) return issues;
  size_t index = 0;
  for (const auto& message : input["messages"]) {
    if (!message.is_object()) issue("object", &message, Json::array({"messages", index}));
    for (std::string_view name : {"id", "role"})
      if (message.is_object() && text_at(message, name).empty()) issue("string", nullptr, Json::array({"messages", index, name}));
    ++index;
  }
  return issues;
}

// One request to a runtime, taken out of the URL or the envelope.
struct CopilotCall {
  const AgentScript* agent = nullptr;
  std::string thread_id;        // of `stop`
  const Json* input = nullptr;  // of `run` and `connect`
};

// Only messages that the thread has not seen are repeated in RUN_STARTED.
std::string new_input(ServeStage& stage, ServedThread& thread, const Json& input) {
  Json out = input;
  Json fresh = Json::array();
  for (const auto& message : input["messages"])
    if (stage.threads.add_message(thread, text_at(message, "id"))) fresh.push_back(message);
  out["messages"] = std::move(fresh);
  return to_compact(out);
}

HttpReply refuse_input(const Json& issues) { return json_reply(400, {{"error", "Invalid request body"}, {"details", issues}}); }

HttpReply run(ServeStage& stage, const CopilotCall& call) {
  if (Json issues = input_issues(*call.input); !issues.empty()) return refuse_input(issues);
  auto request = read_agui_request(*call.input);
  if (!request) return invalid_request(400, request.error().message);
  auto thread = stage.threads.open(request->thread_id);
  if (thread->busy) {
    stage.note = "the thread is busy";
    return event_stream_reply();
  }
  request->input = new_input(stage, *thread, *call.input);
  return play_rule(stage, *call.agent, std::move(*request), std::move(thread));
}

HttpReply connect(ServeStage& stage, const CopilotCall& call) {
  if (Json issues = input_issues(*call.input); !issues.empty()) return refuse_input(issues);
  HttpReply reply = event_stream_reply();
  auto thread = stage.threads.find(text_at(*call.input, "threadId"));
  stage.note = thread ? "replay" : "unknown thread";
  if (thread) reply.stream = make_replay_stream(std::move(thread));
  return reply;
}

HttpReply stop(ServeStage& stage, const CopilotCall& call) {
  auto thread = stage.threads.find(call.thread_id);
  bool running = thread && thread->busy && !thread->stopped;
  if (!running)
    return json_reply(200, {{"stopped", false},
                            {"message", fmt::format("No active run for thread '{}'.", shorten(call.thread_id, kMostShown))}});
  thread->stopped = true;
  Json interrupt = {{"type", "RUN_ERROR"}, {"message", "Run stopped by user"}, {"code", "STOPPED"}};
  return json_reply(200, {{"stopped", true}, {"interrupt", interrupt}});
}

HttpReply info(ServeStage& stage, const CopilotCall&) {
  Json agents = Json::object();
  for (const auto& name : stage.plan->names())
    agents[name] = {{"name", name}, {"description", "scripted"}, {"className", "ScriptedAgent"}};
  return json_reply(200, {{"version", ASSAY_VERSION},
                          {"agents", agents},
                          {"audioFileTranscriptionEnabled", false},
                          {"mode", "sse"},
                          {"threadEndpoints", false},
                          {"suggestions", false}});
}

// One thing a runtime can be asked: the envelope's method, and the path below the base where `*` is any one part.
struct CopilotMethod {
  std::string_view name;
  std::string_view http_method;
  std::string_view path;
  HttpReply (*answer)(ServeStage&, const CopilotCall&);
  bool agent = true;
  bool thread = false;
  bool input = true;
};
constexpr std::array kMethods = {
    CopilotMethod{"agent/run", "POST", "agent/*/run", run},
    CopilotMethod{"agent/connect", "POST", "agent/*/connect", connect},
    CopilotMethod{"agent/stop", "POST", "agent/*/stop/*", stop, true, true, false},
    CopilotMethod{"info", "GET", "info", info, false, false, false},
};

const CopilotMethod* find_method(std::string_view name) {
  for (const auto& method : kMethods)
    if (method.name == name) return &method;
  return nullptr;
}

bool is_json(const HttpRequest& http) { return lower(http.header("content-type")).find("application/json") != std::string::npos; }

// The parts of `path` that stand for a star; nothing where it does not fit.
std::optional<std::vector<std::string>> stars(std::string_view pattern, std::string_view path) {
  auto wanted = split(pattern, '/');
  auto given = split(path, '/');
  std::vector<std::string> out;
  if (wanted.size() != given.size()) return std::nullopt;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == "*")
      out.push_back(valid_utf8(url_decode(given[i])));
    else if (wanted[i] != given[i])
      return std::nullopt;
  }
  return out;
}

HttpReply not_a_route(const HttpRequest& http) {
  auto body = parse_json(http.body);
  if (http.method != "POST" || !body || !is_copilot_envelope(*body))
    return json_reply(404, {{"error", "Not found"}, {"message", "no such route of a CopilotKit runtime"}});
  return json_reply(404, {{"error", "Not found"},
                          {"code", "single_route_envelope_against_multi_route_runtime"},
                          {"message",
                           "Received a single-route request envelope ({ method: \"...\" }) but this runtime is mounted in "
                           "multi-route mode. Use a single-route runtime, or set useSingleEndpoint to false."}});
}

HttpReply call_route(ServeStage& stage, const HttpRequest& http, const CopilotMethod& method,
                     const std::vector<std::string>& parts) {
  CopilotCall call;
  if (method.agent && !(call.agent = stage.plan->find(parts[0]))) return agent_not_found(parts[0]);
  if (method.thread) call.thread_id = parts[1];
  Json input;
  if (method.input) {
    if (!is_json(http)) return invalid_request(415, "the body must be application/json");
    auto body = parse_json(http.body);
    if (!body) return invalid_request(400, "Invalid JSON payload");
    input = std::move(*body);
  }
  call.input = &input;
  return method.answer(stage, call);
}

}  // namespace

bool is_copilot_envelope(const Json& body) {
  if (!body.is_object() || body.contains("threadId") || body.contains("messages")) return false;
  return body.contains("method");
}

HttpReply copilot_envelope(ServeStage& stage, const Json& envelope, std::string_view only_agent) {
  std::string_view name = text_at(envelope, "method");
  if (name.empty()) return invalid_request(400, "Missing method field");
  const CopilotMethod* method = find_method(name);
  if (!method) return invalid_request(400, fmt::format("Unsupported method '{}'", shorten(name, kMostShown)));
  auto params = envelope.is_object() ? envelope.find("params") : envelope.end();
  auto parameter = [&](std::string_view key) { return params == envelope.end() ? "" : text_at(*params, key); };
  CopilotCall call;
  if (method->agent) {
    std::string_view agent = parameter("agentId");
    if (agent.empty()) return invalid_request(400, "Missing or invalid parameter 'agentId'");
    call.agent = only_agent.empty() || agent == only_agent ? stage.plan->find(agent) : nullptr;
    if (!call.agent) return agent_not_found(agent);
  }
  if (method->thread) {
    call.thread_id = parameter("threadId");
    if (call.thread_id.empty()) return invalid_request(400, "Missing or invalid parameter 'threadId'");
  }
  auto body = envelope.find("body");
  if (method->input && body == envelope.end()) return invalid_request(400, "Missing request body for JSON handler");
  if (method->input) call.input = &*body;
  return method->answer(stage, call);
}

HttpReply copilot_single_route(ServeStage& stage, const HttpRequest& http, std::string_view) {
  if (!is_json(http)) return invalid_request(415, "Single-route endpoint expects JSON payloads");
  auto body = parse_json(http.body);
  if (!body || !body->is_object()) return invalid_request(400, "Invalid JSON payload");
  return copilot_envelope(stage, *body, {});
}

HttpReply copilot_multi_route(ServeStage& stage, const HttpRequest& http, std::string_view rest) {
  for (const auto& method : kMethods)
    if (auto parts = stars(method.path, rest); parts && http.method == method.http_method)
      return call_route(stage, http, method, *parts);
  return not_a_route(http);
}

}  // namespace assay
