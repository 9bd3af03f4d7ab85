#pragma once
#include "agent/agent.h"

namespace assay {

// One factory per kind of agent; kinds.cc has the table.
std::unique_ptr<Agent> make_agui_agent(const AgentSpec& spec, const Limits& limits, AgentServices services);

}  // namespace assay
