#include <fmt/format.h>

#include <charconv>

#include "agent/agent.h"
#include "agent/kinds.h"
#include "agent/throttle.h"
#include "base/text.h"
#include "net/http_client.h"
#include "net/sse.h"

namespace assay {
namespace {

constexpr size_t kShownBody = 300;
constexpr size_t kKeptBody = 4000;
constexpr int kMostRedirects = 5;

Json input_json(const Request& request) {
  Json input = {{"threadId", request.thread_id}, {"runId", request.run_id}, {"protocolVersion", "1.0"}};
  input["state"] = request.state;
  input["messages"] = request.messages;
  input["tools"] = request.tools;
  input["context"] = request.context;
  input["forwardedProps"] = request.forwarded_props;
  if (!request.resume.is_null()) input["resume"] = request.resume;
  return input;
}

// What a CopilotKit runtime is asked for.
std::string_view verb(const Request& request) { return request.connect ? "connect" : "run"; }

std::string body_of(const AgentSpec& spec, const Request& request) {
  Json input = input_json(request);
  if (spec.agent_id.empty() || !spec.single_route) return to_compact(input);
  Json envelope = {{"method", fmt::format("agent/{}", verb(request))}, {"params", {{"agentId", spec.agent_id}}}};
  envelope["body"] = std::move(input);
  return to_compact(envelope);
}

// A multi-route runtime has a path for each agent below its base; an endpoint that is such a path already is taken as it is.
std::string url_of(const AgentSpec& spec, const Request& request) {
  if (spec.agent_id.empty() || spec.single_route) return spec.endpoint;
  std::string base = spec.endpoint.substr(0, spec.endpoint.find_first_of("?#"));
  std::string query = spec.endpoint.substr(base.size());
  while (base.ends_with("/"))
    base.pop_back();
  std::string path = fmt::format("/agent/{}/", url_encode(spec.agent_id));
  for (std::string_view known : {"run", "connect"})
    if (base.ends_with(path + std::string(known))) base.resize(base.size() - path.size() - known.size());
  return fmt::format("{}{}{}{}", base, path, verb(request), query);
}

// The ways to speak to a CopilotKit runtime are told apart by what it answers to the wrong one.
std::string runtime_hint(const AgentSpec& spec, int status, const std::string& body) {
  auto says = [&](std::string_view text) { return body.find(text) != std::string::npos; };
  if (says("single_route_envelope_against_multi_route_runtime"))
    return "this is a multi-route CopilotKit runtime: set `transport: http` beside `agentId`";
  if (says("Agent not found")) return fmt::format("the CopilotKit runtime has no agent {}: see `agentId`", quote(spec.agent_id));
  if (says("Missing method field") || says("Unsupported method"))
    return spec.agent_id.empty() ? "this is a CopilotKit runtime that wants an envelope (single-route): set `agentId`"
                                 : "this is a single-route CopilotKit runtime: leave out `transport: http`";
  if (status == 404 && !spec.agent_id.empty() && !spec.single_route)
    return "if this is a single-route CopilotKit runtime, leave out `transport: http`";
  return {};
}

// One answer as it arrives: status, headers, then server-sent events, or the beginning of an error page.
class Answer final : public HttpSink, public SseSink {
 public:
  Answer(EventSink& sink, const Limits& limits) : sink_(sink), limits_(limits), parser_(limits.event_bytes) {}

  void on_status(int status) override {
    status_ = status;
    if (sink_.wants_log()) sink_.on_log(fmt::format("< HTTP {}", status));
  }
  void on_header(std::string_view name, std::string_view value) override {
    std::string key = lower(name);
    if (key == "content-type") content_type = value;
    if (key == "location") location = value;
    if (key == "retry-after") retry_after = value;
    if (sink_.wants_log()) sink_.on_log(fmt::format("< {}: {}", name, value));
  }
  bool on_bytes(std::string_view bytes, Time at) override {
    at_ = at;
    total_ += bytes.size();
    if (sink_.wants_log()) sink_.on_log(fmt::format("< {}", bytes));
    if (body.size() < kKeptBody) body += bytes.substr(0, kKeptBody - body.size());
    if (!is_success()) return total_ < limits_.event_bytes;  // an endless error page
    if (total_ > limits_.turn_bytes)
      return refused(fmt::format("turn_bytes: more than {} bytes in one turn", limits_.turn_bytes));
    return taken(parser_.feed(bytes, *this));
  }
  bool on_data(std::string_view data) override {
    ++events;
    return sink_.on_event(data, at_);
  }
  bool finish() { return !is_success() || taken(parser_.finish(*this)); }

  bool is_success() const { return status_ >= 200 && status_ < 300; }
  int status() const { return status_; }
  const SseParser& parser() const { return parser_; }

  std::string content_type;
  std::string location;
  std::string retry_after;
  std::string body;     // its first bytes
  std::string refusal;  // the limit that ended it
  size_t events = 0;

 private:
  bool refused(std::string why) { return refusal = std::move(why), false; }
  bool taken(SseParser::Status status) {
    if (status == SseParser::Status::kTooLong)
      return refused(fmt::format("event_bytes: an event is longer than {} bytes", limits_.event_bytes));
    if (status == SseParser::Status::kStopped) return refused(sink_.refusal());
    return true;
  }

  EventSink& sink_;
  const Limits& limits_;
  SseParser parser_;
  Time at_ = kNoTime;
  int status_ = 0;
  size_t total_ = 0;
};

// Scheme, host and port: what credentials may be sent to.
std::string origin(std::string_view url) {
  size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  return lower(url.substr(0, url.find_first_of("/?#", scheme + 3)));
}

std::string absolute(const std::string& base, const std::string& location) {
  if (location.starts_with("/")) return location.starts_with("//") ? "" : origin(base) + location;
  return location.find("://") == std::string::npos ? "" : location;
}

class AguiAgent final : public Agent {
 public:
  AguiAgent(const AgentSpec& spec, const Limits& limits, AgentServices services)
      : spec_(spec), limits_(limits), services_(services) {}

  Task<RunEnd> run(Request request, EventSink& sink, CancelToken token) override {
    HttpPost http{url_of(spec_, request), headers(), body_of(spec_, request)};
    co_await services_.throttle->pass(token);
    CancelToken patience = token.child();
    std::optional<Deadline> deadline;
    if (spec_.timeout) deadline.emplace(*services_.loop, *spec_.timeout, patience);
    int redirects = 0;
    for (int attempt = 1;; ++attempt) {
      Answer answer(sink, limits_);
      log_request(http, sink);
      sink.on_request(services_.loop->now());
      HttpEnd end = co_await services_.http->post(http, answer, patience);
      if (follows(answer, end, http) && ++redirects <= kMostRedirects) {
        --attempt;
        continue;
      }
      auto pause = retry_pause(answer, end, attempt);
      if (!pause) co_return ended(answer, end, http, token);
      if (answer.status() == 429) services_.throttle->pause_until(services_.loop->now() + *pause);
      co_await sleep_for(*services_.loop, *pause, patience);
      if (patience.cancelled()) co_return ended(answer, end, http, token);
    }
  }

 private:
  std::vector<std::pair<std::string, std::string>> headers() const {
    // A looser Accept makes some servers answer protobuf.
    std::vector<std::pair<std::string, std::string>> out = {{"Content-Type", "application/json"},
                                                            {"Accept", "text/event-stream"}};
    for (const auto& header : spec_.headers)
      if (lower(header.first) != "accept" && lower(header.first) != "content-type") out.push_back(header);
    return out;
  }

  void log_request(const HttpPost& http, EventSink& sink) const {
    if (!sink.wants_log()) return;
    sink.on_log(fmt::format("> POST {}", http.url));
    for (const auto& [name, value] : http.headers)
      sink.on_log(fmt::format("> {}: {}", name, value));
    sink.on_log(fmt::format("> {}", http.body));
  }

  // A redirect that keeps the method and stays where the credentials belong is what a browser would follow.
  static bool follows(const Answer& answer, const HttpEnd& end, HttpPost& http) {
    bool keeps_method = answer.status() == 307 || answer.status() == 308;
    if (end.kind != HttpEnd::Kind::kComplete || !keeps_method) return false;
    std::string target = absolute(http.url, answer.location);
    if (target.empty() || origin(target) != origin(http.url)) return false;
    http.url = std::move(target);
    return true;
  }

  // How long to wait before the next attempt; nothing where there is none: the request may have been served.
  std::optional<Duration> retry_pause(const Answer& answer, const HttpEnd& end, int attempt) {
    int status = answer.status();
    bool refused = end.kind == HttpEnd::Kind::kRefused;
    bool busy = end.kind == HttpEnd::Kind::kComplete && (status == 429 || status == 502 || status == 503 || status == 504);
    if ((!refused && !busy) || attempt >= spec_.attempts) return std::nullopt;
    double jitter = std::uniform_real_distribution<double>(0.9, 1.1)(*services_.random);
    auto backoff = Duration(static_cast<int64_t>(1e6 * jitter) << std::min(attempt - 1, 6));
    auto asked = retry_after(answer.retry_after);
    return asked ? *asked : backoff;
  }

  std::optional<Duration> retry_after(const std::string& value) const {
    int64_t seconds = 0;
    auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (ec == std::errc() && end == value.data() + value.size() && seconds >= 0)
      return Duration(std::min<int64_t>(seconds, 86400) * 1'000'000);
    auto date = parse_http_date(value);
    if (!date) return std::nullopt;
    return std::max(Duration{}, *date - services_.loop->now());
  }

  RunEnd ended(Answer& answer, const HttpEnd& http_end, const HttpPost& http, const CancelToken& token) const {
    RunEnd end;
    end.at = http_end.at;
    bool complete = http_end.kind == HttpEnd::Kind::kComplete || http_end.kind == HttpEnd::Kind::kCut;
    bool read_to_end = complete && answer.finish();
    end.saw_carriage_return = answer.parser().saw_carriage_return();
    end.unterminated = answer.parser().last_was_unterminated();
    end.content_type = answer.content_type;
    end.status = answer.status();
    if (!answer.refusal.empty()) return refuse(end, http, answer.refusal);
    if (http_end.kind == HttpEnd::Kind::kCancelled) return stopped(end, http, answer, token);
    if (answer.status() > 0 && !answer.is_success()) return http_error(end, http, answer);
    if (!read_to_end) return refuse(end, http, http_end.error);
    end.message = http.url;
    if (http_end.kind == HttpEnd::Kind::kCut) end.message += ": the connection was closed in the middle of the answer";
    if (answer.events == 0)
      end.message +=
          fmt::format(": HTTP {}, content type {}, {}", answer.status(), quote(answer.content_type), shown_body(answer));
    if (answer.events == 0 && answer.body.empty() && !spec_.agent_id.empty())
      end.message += ". A CopilotKit runtime answers nothing while another run of the same thread is going on: is it busy?";
    return end;
  }

  static RunEnd refuse(RunEnd end, const HttpPost& http, std::string_view why) {
    end.kind = RunEnd::Kind::kTransportError;
    end.message = fmt::format("{}: {}", http.url, why);
    return end;
  }

  RunEnd stopped(RunEnd end, const HttpPost& http, const Answer& answer, const CancelToken& token) const {
    end.kind = token.cancelled() ? RunEnd::Kind::kCancelled : RunEnd::Kind::kTimeout;
    std::string_view got = answer.status() == 0 ? "no response yet"
                           : answer.events == 0 ? "no event yet"
                                                : "the stream had not ended";
    end.message = fmt::format("{}: {}", http.url, got);
    if (end.kind == RunEnd::Kind::kTimeout) end.message += fmt::format(" after {} (timeout_ms)", format_duration(*spec_.timeout));
    return end;
  }

  RunEnd http_error(RunEnd end, const HttpPost& http, const Answer& answer) const {
    end.kind = RunEnd::Kind::kHttpError;
    end.message = fmt::format("{}: HTTP {}", http.url, answer.status());
    if (!answer.location.empty())
      end.message += fmt::format(", redirected to {}: set the endpoint to it if it is right", answer.location);
    end.message += ": " + shown_body(answer);
    std::string hint = runtime_hint(spec_, answer.status(), answer.body);
    if (!hint.empty()) end.message += ": " + hint;
    return end;
  }

  static std::string shown_body(const Answer& answer) {
    return answer.body.empty() ? "no body"
                               : fmt::format("the body begins with {}", quote(shorten(trim(answer.body), kShownBody)));
  }

  const AgentSpec spec_;
  const Limits limits_;
  AgentServices services_;
};

}  // namespace

std::unique_ptr<Agent> make_agui_agent(const AgentSpec& spec, const Limits& limits, AgentServices services) {
  return std::make_unique<AguiAgent>(spec, limits, services);
}

}  // namespace assay
