#pragma once
#include "load/config.h"
#include "load/variables.h"
#include "model/case.h"

namespace assay {

// Reads what a test says, resolving variables on the way. The same code runs when files are loaded (unknown variables
// are put off) and when a case starts (they are mistakes).
class PlanReader {
 public:
  PlanReader(const Config& config, Bindings bindings, Reader& reader) : config_(config), bindings_(bindings), reader_(reader) {}

  // Head of a test: everything but what it does.
  void read_head(const Node& root, Case& out);
  CasePlan read_plan(const Node& root);
  Hook read_hook(const Node& node);
  void check_config();  // what it says about agents and named checks, used by a test or not
  // Did anything stay open because a variable is not known?
  bool deferred() const { return deferred_; }

 private:
  Node resolve(const Node& node);
  AgentSpec read_agent(const Node& root);
  AgentSpec read_agent_at(const Node& node, const std::string& id);
  AssertBlock read_assert(const Node* assert_node, const Node* protocol);
  TurnPlan read_turn(const Node& node);
  void check_turn(const Node& node, const TurnPlan& turn);
  void read_tools(const Node& root, CasePlan& plan);

  const Config& config_;
  Bindings bindings_;
  Reader& reader_;
  bool deferred_ = false;
};

}  // namespace assay
