#include "serve/script_server.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/json.h"
#include "base/text.h"
#include "net/http_server.h"
#include "serve/agui_script.h"
#include "serve/match.h"

namespace assay {
namespace {

constexpr std::string_view kHtmlPage =
    "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n";

// What the routes work with. Lives on the server's thread.
struct Stage {
  std::shared_ptr<const ServePlan> plan;
  ServeOptions options;
  RulePicker picker;
  std::string note;  // for the log: what was made of the request
};

HttpReply json_reply(int status, const Json& body) {
  HttpReply reply;
  reply.status = status;
  reply.body = to_compact(body) + "\n";
  return reply;
}

std::string url_decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* digits = text.data() + i + 1;
    bool escaped = text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    out += escaped ? static_cast<char>(byte) : text[i];
    if (escaped) i += 2;
  }
  return out;
}

HttpReply list_agents(Stage& stage, const HttpRequest&, std::string_view) {
  Json agents = Json::array();
  for (const auto& name : stage.plan->names())
    agents.push_back({{"name", name}, {"path", "/agents/" + url_encode(name)}});
  return json_reply(200, {{"agents", agents}});
}

HttpReply fixed_reply(const HttpAnswer& answer, const RunRequest& request) {
  HttpReply reply;
  std::string turn = std::to_string(request.turn);
  reply.status = answer.status;
  reply.headers = answer.headers;
  reply.content_type = answer.content_type;
  reply.body = answer.body.expand({request.message, turn, request.thread_id, request.run_id});
  return reply;
}

HttpReply event_stream() {
  HttpReply reply;
  reply.content_type = "text/event-stream";
  reply.headers = {{"Cache-Control", "no-cache"}};
  return reply;
}

HttpReply no_rule(const AgentScript& agent, const RunRequest& request) {
  HttpReply reply = event_stream();
  std::string message = fmt::format("no rule matches message {} in turn {} of agent {}", quote(shorten(request.message, 200)),
                                    request.turn, quote(agent.name));
  reply.body = agui_failure(request, message);
  return reply;
}

bool is_html_page(const Rule& rule) {
  const auto* fault = rule.steps.empty() ? nullptr : std::get_if<FaultStep>(&rule.steps[0]);
  return fault && fault->fault == Fault::kHtml;
}

HttpReply play(Stage& stage, const AgentScript& agent, RunRequest request) {
  int number = stage.picker.pick(agent, request);
  stage.note = fmt::format("turn {}, {}", request.turn, number < 0 ? "no rule" : fmt::format("rule {}", number + 1));
  if (number < 0) return no_rule(agent, request);
  const Rule& rule = agent.rules[static_cast<size_t>(number)];
  HttpReply reply;
  if (rule.http) {
    reply = fixed_reply(*rule.http, request);
  } else if (is_html_page(rule)) {
    reply.content_type = "text/html; charset=utf-8";
    reply.body = kHtmlPage;
  } else {
    reply = event_stream();
    reply.stream = make_agui_stream({stage.plan, &rule, number, std::move(request)});
  }
  reply.delay = rule.delay;
  return reply;
}

HttpReply run_agent(Stage& stage, const HttpRequest& http, std::string_view rest) {
  std::string name = url_decode(rest);
  const AgentScript* agent = stage.plan->find(name);
  if (!agent) {
    auto names = stage.plan->names();
    std::string message = fmt::format("no agent {}; {}", quote(name), suggestion(name, names, "known agents"));
    return json_reply(404, {{"error", message}, {"agents", names}});
  }
  auto request = read_agui_request(http.body);
  if (!request) return json_reply(400, {{"error", "the body is no RunAgentInput: " + request.error().message}});
  return play(stage, *agent, std::move(*request));
}

// One way into the server. `rest` is what follows the prefix; a prefix without a final slash is the whole path.
struct Route {
  std::string_view method;
  std::string_view prefix;
  HttpReply (*answer)(Stage&, const HttpRequest&, std::string_view rest);
};
constexpr std::array kRoutes = {
    Route{"GET", "/", list_agents},
    Route{"POST", "/agents/", run_agent},
};

bool leads(const Route& route, std::string_view path) {
  if (route.prefix == "/") return path == "/";
  return route.prefix.back() == '/' ? path.starts_with(route.prefix) && path.size() > route.prefix.size() : path == route.prefix;
}

HttpReply answer(Stage& stage, const HttpRequest& request) {
  for (const auto& route : kRoutes) {
    if (!leads(route, request.path)) continue;
    bool allowed = request.method == route.method || (route.method == "GET" && request.method == "HEAD");
    if (allowed) return route.answer(stage, request, request.path.substr(route.prefix.size()));
    HttpReply reply = json_reply(405, {{"error", fmt::format("{} takes {} only", valid_utf8(request.path), route.method)}});
    reply.headers = {{"Allow", std::string(route.method)}};
    return reply;
  }
  return json_reply(404, {{"error", fmt::format("nothing at {}; agents are at /agents/NAME", valid_utf8(request.path))},
                          {"agents", stage.plan->names()}});
}

HttpReply answer_and_log(Stage& stage, const HttpRequest& request) {
  stage.note.clear();
  HttpReply reply = answer(stage, request);
  if (!stage.options.log) return reply;
  std::string note = stage.note.empty() ? "" : fmt::format(" ({})", stage.note);
  stage.options.log(visible(fmt::format("{} {} {}{}", request.method, request.path, reply.status, note)));
  return reply;
}

}  // namespace

struct ScriptServer::Impl {
  Stage stage;
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
  Stage* stage = &impl->stage;
  auto server = HttpServer::start([stage](const HttpRequest& request) { return answer_and_log(*stage, request); }, http);
  if (!server) return unexpected<Error>(server.error());
  impl->http = std::move(*server);
  return std::unique_ptr<ScriptServer>(new ScriptServer(std::move(impl)));
}

}  // namespace assay
