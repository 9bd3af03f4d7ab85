#include "serve/script_server.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "serve/stage.h"

namespace assay {
namespace {

HttpReply list_agents(ServeStage& stage, const HttpRequest&, std::string_view) {
  Json agents = Json::array();
  for (const auto& name : stage.plan->names())
    agents.push_back({{"name", name}, {"path", "/agents/" + url_encode(name)}});
  return json_reply(200, {{"agents", agents}});
}

HttpReply run_agent(ServeStage& stage, const HttpRequest& http, std::string_view rest) {
  std::string name = url_decode(rest);
  const AgentScript* agent = stage.plan->find(name);
  if (!agent) {
    auto names = stage.plan->names();
    std::string message = fmt::format("no agent {}; {}", quote(name), suggestion(name, names, "known agents"));
    return json_reply(404, {{"error", message}, {"agents", names}});
  }
  auto body = parse_json(http.body);
  if (body && is_copilot_envelope(*body)) return copilot_envelope(stage, *body, name);
  auto request = body ? read_agui_request(*body) : fail(ErrorKind::kInput, body.error().message);
  if (!request) return json_reply(400, {{"error", "the body is no RunAgentInput: " + request.error().message}});
  return play_rule(stage, *agent, std::move(*request));
}

// One way into the server. `rest` is what follows the prefix; a prefix without a final slash is the whole path.
struct Route {
  std::string_view method;  // empty: the route minds it itself
  std::string_view prefix;
  HttpReply (*answer)(ServeStage&, const HttpRequest&, std::string_view rest);
};
constexpr std::array kRoutes = {
    Route{"GET", "/", list_agents},
    Route{"POST", "/agents/", run_agent},
    Route{"POST", "/copilotkit", copilot_single_route},
    Route{"", "/copilotkit-multi", copilot_multi_route},
    Route{"", "/copilotkit-multi/", copilot_multi_route},
};

bool leads(const Route& route, std::string_view path) {
  if (route.prefix == "/") return path == "/";
  return route.prefix.back() == '/' ? path.starts_with(route.prefix) && path.size() > route.prefix.size() : path == route.prefix;
}

HttpReply answer(ServeStage& stage, const HttpRequest& request) {
  for (const auto& route : kRoutes) {
    if (!leads(route, request.path)) continue;
    bool allowed = route.method.empty() || request.method == route.method || (route.method == "GET" && request.method == "HEAD");
    if (allowed) return route.answer(stage, request, request.path.substr(route.prefix.size()));
    HttpReply reply = json_reply(405, {{"error", fmt::format("{} takes {} only", valid_utf8(request.path), route.method)}});
    reply.headers = {{"Allow", std::string(route.method)}};
    return reply;
  }
  return json_reply(404, {{"error", fmt::format("nothing at {}; agents are at /agents/NAME", valid_utf8(request.path))},
                          {"agents", stage.plan->names()}});
}

HttpReply answer_and_log(ServeStage& stage, const HttpRequest& request) {
  stage.note.clear();
  HttpReply reply = answer(stage, request);
  if (!stage.options.log) return reply;
  std::string note = stage.note.empty() ? "" : fmt::format(" ({})", stage.note);
  stage.options.log(visible(fmt::format("{} {} {}{}", request.method, request.path, reply.status, note)));
  return reply;
}

}  // namespace

struct ScriptServer::Impl {
  ServeStage stage;
  std::unique_ptr<HttpServer> http;
};

ScriptServer::ScriptServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ScriptServer::~ScriptServer() { stop(); }
int ScriptServer::port() const { return impl_->http->port(); }
void ScriptServer::stop() { impl_->http->stop(); }

Result<std::unique_ptr<ScriptServer>> ScriptServer::start(std::shared_ptr<const ServePlan> plan, ServeOptions options) {
  auto impl = std::make_unique<Impl>();
  HttpServerOptions http;
  http.host = options.host;
  http.port = options.port;
  impl->stage.plan = std::move(plan);
  impl->stage.options = std::move(options);
  ServeStage* stage = &impl->stage;
  auto server = HttpServer::start([stage](const HttpRequest& request) { return answer_and_log(*stage, request); }, http);
  if (!server) return unexpected<Error>(server.error());
  impl->http = std::move(*server);
  return std::unique_ptr<ScriptServer>(new ScriptServer(std::move(impl)));
}

}  // namespace assay
