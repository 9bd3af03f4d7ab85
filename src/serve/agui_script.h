#pragma once
#include <memory>

#include "net/http_server.h"
#include "serve/plan.h"
#include "serve/request.h"

namespace assay {

// One rule played for one request. `rule` points into the plan, which the stream keeps alive.
struct Performance {
  std::shared_ptr<const ServePlan> plan;
  const Rule* rule = nullptr;
  int number = 0;  // the rule's index, part of every id
  RunRequest request;
  std::shared_ptr<const bool> stopped;  // becomes true where the run is to end early; may be null
};

// The rule's steps as AG-UI events in server-sent events. The bytes depend on rule and request only.
std::unique_ptr<HttpStream> make_agui_stream(Performance performance);

// RUN_STARTED and RUN_ERROR with this message.
std::string agui_failure(const RunRequest& request, std::string_view message);

}  // namespace assay
