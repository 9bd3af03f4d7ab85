#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace assay {

// What rules look at, whatever protocol the request came by.
struct RunRequest {
  std::string thread_id;
  std::string run_id;
  std::string message;  // text of the last user message
  int turn = 0;         // user messages in the request
  // Since the last user message:
  int results = 0;                         // tool messages
  std::optional<std::string> tool_result;  // content of the last one
  std::vector<std::string> answered;       // names of the tools they answer
};

// A RunAgentInput. Only what makes it unreadable is an error: missing ids become "thread-0" and "run-0".
Result<RunRequest> read_agui_request(std::string_view body);

}  // namespace assay
