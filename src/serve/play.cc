#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "serve/agui_script.h"
#include "serve/stage.h"

namespace assay {
namespace {

constexpr std::string_view kHtmlPage =
    "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n";

HttpReply fixed_reply(const HttpAnswer& answer, const RunRequest& request) {
  HttpReply reply;
  Placeholders placeholders(request);
  reply.status = answer.status;
  reply.headers = answer.headers;
  reply.content_type = answer.content_type;
  reply.body = answer.body.expand(placeholders.values);
  return reply;
}

HttpReply html_page() {
  HttpReply reply;
  reply.content_type = "text/html; charset=utf-8";
  reply.body = kHtmlPage;
  return reply;
}

std::string no_rule(const AgentScript& agent, const RunRequest& request) {
  return agui_failure(request, fmt::format("no rule matches message {} in turn {} of agent {}",
                                           quote(shorten(request.message, 200)), request.turn, quote(agent.name)));
}

// Of the request, not of the order in which requests come. FNV-1a.
uint64_t stream_seed(uint64_t seed, const RunRequest& request) {
  uint64_t hash = 14695981039346656037u ^ seed;
  for (unsigned char byte : fmt::format("{}/{}/{}", request.thread_id, request.run_id, request.message))
    hash = (hash ^ byte) * 1099511628211u;
  return hash;
}

void take_own_ids(RunRequest& request) {
  request.thread_id = "own-thread";
  request.run_id = fmt::format("own-run-{}-{}", request.turn, request.since);
}

bool is_html_page(const Rule& rule) {
  const auto* fault = rule.steps.empty() ? nullptr : std::get_if<FaultStep>(&rule.steps[0]);
  return fault && fault->fault == Fault::kHtml;
}

}  // namespace

HttpReply json_reply(int status, const Json& body) {
  HttpReply reply;
  reply.status = status;
  reply.body = to_compact(body) + "\n";
  return reply;
}

HttpReply event_stream_reply() {
  HttpReply reply;
  reply.content_type = "text/event-stream";
  reply.headers = {{"Cache-Control", "no-cache"}};
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

HttpReply play_rule(ServeStage& stage, const AgentScript& agent, RunRequest request, std::shared_ptr<ServedThread> thread) {
  int number = stage.picker.pick(agent, request);
  stage.note = fmt::format("turn {}, {}", request.turn, number < 0 ? "no rule" : fmt::format("rule {}", number + 1));
  HttpReply reply = event_stream_reply();
  if (number < 0) {
    reply.body = no_rule(agent, request);
    if (thread) stage.threads.append(*thread, reply.body);
    return reply;
  }
  const Rule& rule = agent.rules[static_cast<size_t>(number)];
  if (rule.http) {
    reply = fixed_reply(*rule.http, request);
  } else if (is_html_page(rule)) {
    reply = html_page();
  } else {
    uint64_t seed = stream_seed(stage.options.seed, request);
    std::shared_ptr<const bool> stopped;
    if (thread) stopped = {thread, &thread->stopped};
    if (rule.own_ids) take_own_ids(request);
    reply.stream = make_agui_stream({stage.plan, &rule, number, std::move(request), std::move(stopped)});
    if (thread) reply.stream = make_recorded_stream(stage.threads, std::move(thread), std::move(reply.stream));
    reply.stream = make_wire_stream(std::move(reply.stream), rule.wire, seed);
    reply.content_type = rule.wire.content_type;
    if (rule.wire.gzip) reply.headers.emplace_back("Content-Encoding", "gzip");
  }
  reply.delay = rule.delay;
  return reply;
}

}  // namespace assay
