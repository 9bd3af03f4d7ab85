#include "agent/kinds.h"

namespace assay {
namespace {

struct Kind {
  std::string_view name;
  std::unique_ptr<Agent> (*make)(const AgentSpec&, const Limits&, AgentServices);
};
constexpr Kind kKinds[] = {
    {"agui", make_agui_agent},
};

}  // namespace

std::unique_ptr<Agent> make_agent(const AgentSpec& spec, const Limits& limits, AgentServices services) {
  for (const auto& kind : kKinds)
    if (kind.name == spec.type) return kind.make(spec, limits, services);
  return nullptr;
}

}  // namespace assay
