#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "net/http_server.h"
#include "serve/match.h"
#include "serve/plan.h"
#include "serve/request.h"
#include "serve/script_server.h"
#include "serve/threads.h"

namespace assay {

// What the routes work with. Lives on the server's thread.
struct ServeStage {
  std::shared_ptr<const ServePlan> plan;
  ServeOptions options;
  RulePicker picker;
  ThreadStore threads;
  std::string note;  // for the log: what was made of the request
};

HttpReply json_reply(int status, const Json& body);
HttpReply event_stream_reply();  // without a body
std::string url_decode(std::string_view text);

// The answer of the rule that holds. Where a thread is given it remembers the events.
HttpReply play_rule(ServeStage& stage, const AgentScript& agent, RunRequest request,
                    std::shared_ptr<ServedThread> thread = nullptr);

// The ways into a CopilotKit runtime: one URL for all methods, or one URL for each. `rest` is what follows the base.
HttpReply copilot_single_route(ServeStage& stage, const HttpRequest& http, std::string_view rest);
HttpReply copilot_multi_route(ServeStage& stage, const HttpRequest& http, std::string_view rest);
// The envelope where only one agent lives.
HttpReply copilot_envelope(ServeStage& stage, const Json& envelope, std::string_view only_agent);
bool is_copilot_envelope(const Json& body);

}  // namespace assay
