#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/node.h"
#include "base/time.h"
#include "model/assert_block.h"
#include "model/tool_stub.h"

namespace assay {

using Variables = std::map<std::string, Json, std::less<>>;

// A command run before the turns (or after, as teardown): argv, no shell.
struct Hook {
  std::vector<std::string> cmd;
  Duration timeout = std::chrono::seconds(30);
  std::vector<std::pair<std::string, std::string>> env;
  Place place;
};

enum class TurnType { kMessage, kConnect };

struct TurnPlan {
  TurnType type = TurnType::kMessage;
  std::string name;
  Json input;                  // text or content parts
  std::optional<Json> resume;  // answers an interrupt
  std::optional<Duration> timeout;
  AssertBlock checks;
  Place place;
};

struct Limits {
  size_t event_bytes = 16u << 20;
  size_t turn_bytes = 256u << 20;
  size_t hook_output_bytes = 10u << 20;
  JsonLimits json;
};

// How an agent is reached. Fields of all kinds that can be written in a file; a kind reads the ones it knows.
struct AgentSpec {
  std::string id = "target";
  std::string type = "agui";
  std::string endpoint;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<Duration> timeout;
  std::string agent_id;      // of a CopilotKit runtime
  bool single_route = true;  // its envelope; else a path for each agent
  std::string thread_id;
  Json state = Json::object();
  bool has_state = false;  // written in the file: known before the agent says anything
  Json context = Json::array();
  Json forwarded_props = Json::object();
  bool full_history = true;
  int attempts = 3;
  AssertBlock checks;
  Place place;
};

// Everything a case says once its variables are known.
struct CasePlan {
  std::string name;
  std::vector<Hook> hooks;
  std::vector<Hook> teardown;
  std::vector<TurnPlan> turns;
  AssertBlock checks;
  AgentSpec agent;
  std::vector<ToolStub> tools;  // the test's, then those of the config that it does not replace
  Unmocked unmocked = Unmocked::kIgnore;
};

// A loaded test. `plan` is complete unless `deferred`: then it waits for variables that only hooks set, and
// load::instantiate reads the same documents again when they are known.
struct Case {
  size_t index = 0;
  std::string id;
  std::string name;
  std::string file;
  int line = 1;
  std::vector<std::string> tags;
  std::string skip;  // a reason; empty: run it
  std::optional<Duration> timeout;
  Variables variables;    // vars of config and test, --var
  std::string directory;  // working directory of hooks
  Limits limits;
  std::shared_ptr<const CasePlan> plan;
  bool deferred = false;
  std::shared_ptr<const Document> document;
};

}  // namespace assay
