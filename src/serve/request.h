#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace assay {

// The answer to one interrupt, as the client sends it.
struct ResumeAnswer {
  std::string interrupt_id;
  std::string status;
  Json payload;
};

// What rules look at, whatever protocol the request came by.
struct RunRequest {
  std::string thread_id;
  std::string run_id;
  std::string message;             // text of the last user message
  int turn = 0;                    // user messages in the request
  std::vector<std::string> tools;  // names of the client-side tools
  Json state;
  std::vector<ResumeAnswer> resume;
  std::optional<Json> command_resume;  // forwardedProps.command.resume, LangGraph's older way
  Json messages = Json::array();       // the conversation, as it was sent
  std::string input;                   // JSON, repeated in RUN_STARTED; empty: it is not
  // Since the last user message:
  int since = 0;                           // messages
  int results = 0;                         // tool messages
  std::optional<std::string> tool_result;  // content of the last one
  std::optional<std::string> tool_error;   // its error, where it has one
  std::vector<std::string> answered;       // names of the tools they answer
};

// A RunAgentInput. Only what makes it unreadable is an error: missing ids become "thread-0" and "run-0".
Result<RunRequest> read_agui_request(const Json& input);

// The string at a key; empty where the value is no object or there is none.
std::string_view text_at(const Json& object, std::string_view key);

}  // namespace assay
