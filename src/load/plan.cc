#include "load/plan.h"

#include <fmt/format.h>

#include <list>

#include "base/text.h"
#include "check/block.h"
#include "load/agent_spec.h"
#include "load/command.h"
#include "load/tool_stubs.h"

namespace assay {
namespace {

void read_env(Reader& r, const Node& n, Hook& hook) {
  if (!r.map(n, "`env`")) return;
  for (const auto& member : n.members)
    if (auto value = r.text(member.value, fmt::format("env {}", member.key.text))) hook.env.emplace_back(member.key.text, *value);
}

constexpr Field<Hook> kHookFields[] = {
    {"cmd", "list of text", "program and arguments; no shell",
     [](Reader& r, const Node& n, Hook& h) { h.cmd = read_command(r, n, R"(["bash", "setup.sh"])"); }, Field<Hook>::kRequired},
    {"timeout_ms", "number", "the hook is ended after this (30000)",
     [](Reader& r, const Node& n, Hook& h) {
       if (auto d = r.milliseconds(n, "`timeout_ms`")) h.timeout = *d;
     }},
    {"env", "map of text", "environment variables for the command", read_env},
};

// A user message: text, or content parts as AG-UI has them.
void read_user(Reader& r, const Node& n, TurnPlan& turn) {
  if (!n.is_list()) {
    if (auto text = r.text(n, "`user`")) turn.input = *text;
    return;
  }
  for (const auto& part : n.items) {
    const Node* type = r.map(part, "a content part") ? part.find("type") : nullptr;
    if (part.is_map() && !type) r.error(part, "a content part needs `type`", "text, image, audio, video or document");
  }
  turn.input = n.to_json();
}

void read_turn_type(Reader& r, const Node& n, TurnPlan& turn) {
  static const std::vector<std::string> kTypes = {"user", "agui:connect", "mcp:call"};
  size_t type = r.word(n, "`type`", kTypes).value_or(0);
  if (type == 1) turn.type = TurnType::kConnect;
  if (type == 2) refuse_not_built(r, n, "a turn of type mcp:call");
}

void ignore(Reader&, const Node&, TurnPlan&) {}

constexpr Field<TurnPlan> kTurnFields[] = {
    {"user", "text or list of part", "what the user says", read_user},
    {"type", "word", "`user` (default) or `agui:connect`", read_turn_type},
    {"resume", "any", "answers an interrupt", [](Reader&, const Node& n, TurnPlan& t) { t.resume = n.to_json(); }},
    {"assert", "assert", "checks of this turn", ignore},
    {"timeout_ms", "number", "the turn is cut after this",
     [](Reader& r, const Node& n, TurnPlan& t) { t.timeout = r.milliseconds(n, "`timeout_ms`"); }},
    {"name", "text", "a label", [](Reader& r, const Node& n, TurnPlan& t) { t.name = r.text(n, "`name`").value_or(""); }},
};

void read_skip(Reader& r, const Node& n, Case& c) {
  if (n.kind == Node::Kind::kBool)
    c.skip = n.scalar.get<bool>() ? "skipped by the test file" : "";
  else
    c.skip = r.text(n, "`skip`").value_or("");
}

void read_name(Reader& r, const Node& n, Case& c) {
  c.name = r.text(n, "`name`").value_or(n.is_deferred() ? n.text : "");
  if (c.name.empty() && n.is_string()) r.error(n, "`name` is empty");
}

template <class T>
void not_built(Reader& r, const Node& n, T&, std::string_view what) {
  refuse_not_built(r, n, what);
}

void elsewhere(Reader&, const Node&, Case&) {}

constexpr Field<Case> kTestFields[] = {
    {"version", "text", "version of the format, 1.x", [](Reader& r, const Node& n, Case&) { read_version(r, n); }},
    {"name", "text", "what the test is about", read_name, Field<Case>::kRequired},
    {"id", "text", "stable id (default: the path without its suffix)",
     [](Reader& r, const Node& n, Case& c) {
       if (auto id = r.text(n, "`id`")) c.id = *id;
     }},
    {"tags", "list of text", "labels", [](Reader& r, const Node& n, Case& c) { c.tags = r.text_or_texts(n, "`tags`"); }},
    {"skip", "boolean or text", "do not run; text is the reason", read_skip},
    {"agent", "text", "id of an agent of the config instead of its target", elsewhere},
    {"timeout", "duration", "covers hooks and turns (2m)",
     [](Reader& r, const Node& n, Case& c) { c.timeout = r.duration(n, "`timeout`"); }},
    {"vars", "map", "variables", elsewhere},
    {"tools", "list of tool", "stubs for client-side tools", elsewhere},
    {"unmocked", "word", "what a call nobody answered gets, of a tool that is no stub: ignore, fail or answer", elsewhere},
    {"hooks", "list of hook", "commands before any turn", elsewhere},
    {"teardown", "list of hook", "commands after the turns, always run", elsewhere},
    {"turns", "list of turn", "the conversation", elsewhere},
    {"simulator", "simulator", "a simulated user",
     [](Reader& r, const Node& n, Case& c) { not_built(r, n, c, "dynamic mode (`simulator`)"); }},
    {"checkpoints", "list", "what a simulated conversation must reach",
     [](Reader& r, const Node& n, Case& c) { not_built(r, n, c, "dynamic mode (`checkpoints`)"); }},
    {"max_turns", "number", "most turns of a simulated conversation",
     [](Reader& r, const Node& n, Case& c) { not_built(r, n, c, "dynamic mode (`max_turns`)"); }},
    {"protocol", "protocol", "how protocol violations count", elsewhere},
    {"assert", "assert", "checks over all turns", elsewhere},
};

}  // namespace

Node PlanReader::resolve(const Node& node) {
  Node resolved = resolve_variables(node, bindings_, reader_);
  deferred_ = deferred_ || resolved.has_deferred();
  return resolved;
}

void PlanReader::read_head(const Node& root, Case& out) {
  Node head = root;
  // What the plan reads is read there, with its own variables.
  for (auto& member : head.members)
    for (std::string_view key : {"hooks", "teardown", "turns", "assert", "vars", "agent", "protocol", "tools", "unmocked"})
      if (member.key.text == key) member.value = Node();
  read_fields<Case>(reader_, resolve(head), out, kTestFields, "the test");
}

Hook PlanReader::read_hook(const Node& node) {
  Hook hook;
  hook.place = node.place();
  read_fields<Hook>(reader_, resolve(node), hook, kHookFields, "a hook");
  return hook;
}

AssertBlock PlanReader::read_assert(const Node* assert_node, const Node* protocol) {
  std::list<Node> resolved;
  auto named = [&](std::string_view name) -> const Node* {
    const Node* block = config_.assertions ? config_.assertions->find(name) : nullptr;
    return block ? &resolved.emplace_back(resolve(*block)) : nullptr;
  };
  AssertBlock block;
  if (protocol) {
    Node key = *protocol;
    key.text = "protocol";
    Node map;
    map.kind = Node::Kind::kMap;
    map.source = protocol->source, map.line = protocol->line, map.column = protocol->column, map.length = protocol->length;
    map.members.push_back({std::move(key), resolve(*protocol)});
    block = read_assert_block(reader_, map, named);
  }
  if (assert_node && !assert_node->is_null()) {
    AssertBlock own = read_assert_block(reader_, resolve(*assert_node), named);
    block.entries.insert(block.entries.end(), own.entries.begin(), own.entries.end());
    if (own.muted) block.muted = std::move(own.muted);
  }
  return block;
}

TurnPlan PlanReader::read_turn(const Node& node) {
  TurnPlan turn;
  turn.place = node.place();
  Node own = node;
  for (auto& member : own.members)
    if (member.key.text == "assert") member.value = Node();
  read_fields<TurnPlan>(reader_, resolve(own), turn, kTurnFields, "a turn");
  check_turn(node, turn);
  turn.checks = read_assert(node.find("assert"), nullptr);
  return turn;
}

void PlanReader::check_turn(const Node& node, const TurnPlan& turn) {
  if (!node.is_map()) return;
  bool connect = turn.type == TurnType::kConnect;
  if (connect && (node.find("user") || node.find("resume")))
    reader_.error(node, "a turn of type agui:connect sends nothing: leave out `user` and `resume`");
  if (!connect && !node.find("user") && !node.find("resume")) reader_.error(node, "a turn needs `user`");
}

// The test's own, then those of the config that it does not replace.
void PlanReader::read_tools(const Node& root, CasePlan& plan) {
  if (const Node* own = root.find("tools")) plan.tools = read_tool_stubs(reader_, resolve(*own));
  if (config_.tools)
    for (auto& stub : read_tool_stubs(reader_, resolve(*config_.tools))) {
      auto same = [&](const ToolStub& other) { return other.name == stub.name; };
      if (std::none_of(plan.tools.begin(), plan.tools.end(), same)) plan.tools.push_back(std::move(stub));
    }
  const Node* unmocked = root.find("unmocked") ? root.find("unmocked") : config_.unmocked;
  if (unmocked) plan.unmocked = read_unmocked(reader_, resolve(*unmocked)).value_or(Unmocked::kIgnore);
}

AgentSpec PlanReader::read_agent(const Node& root) {
  const Node* name = root.find("agent");
  const Node* node = config_.target;
  std::string id = "target";
  if (name) {
    auto wanted = reader_.text(resolve(*name), "`agent`");
    if (!wanted) return {};
    id = *wanted;
    node = config_.agents ? config_.agents->find(id) : nullptr;
    if (!node) {
      std::vector<std::string> ids;
      if (config_.agents)
        for (const auto& member : config_.agents->members)
          ids.push_back(member.key.text);
      reader_.error(*name, fmt::format("unknown agent {}", quote(id)), suggestion(id, ids, "agents of the config"));
      return {};
    }
  }
  if (!node) {
    std::string why = config_.path.empty() ? "no config was found, so there is no agent to test"
                                           : "there is no agent to test: the config has no `target`";
    reader_.error(root, why, "write assay.config.yaml with a `target` that has an `endpoint`");
    return {};
  }
  return read_agent_at(*node, id);
}

AgentSpec PlanReader::read_agent_at(const Node& node, const std::string& id) {
  AgentSpec spec = read_agent_spec(reader_, resolve(node), bindings_.secrets);
  spec.id = id;
  const Node* transport = node.find("transport");
  if (transport && !node.find("agentId"))
    reader_.error(*transport, "`transport` is of a CopilotKit runtime only: set `agentId` too, or leave it out");
  spec.checks = read_assert(node.find("assert"), node.find("protocol"));
  AssertBlock above = read_assert(nullptr, config_.protocol);
  spec.checks.entries.insert(spec.checks.entries.begin(), above.entries.begin(), above.entries.end());
  if (!spec.checks.muted) spec.checks.muted = above.muted;
  return spec;
}

void PlanReader::check_config() {
  if (config_.target) read_agent_at(*config_.target, "target");
  if (config_.agents)
    for (const auto& [id, agent] : config_.agents->members) {
      const Node* type = agent.find("type");
      if (!type || type->text == "agui") read_agent_at(agent, id.text);  // other kinds are not built yet
    }
  if (config_.assertions)
    for (const auto& block : config_.assertions->members)
      read_assert(&block.value, nullptr);
}

CasePlan PlanReader::read_plan(const Node& root) {
  CasePlan plan;
  auto list = [&](std::string_view key) -> const Node* {
    const Node* node = root.find(key);
    return node && !node->is_null() && reader_.list(*node, fmt::format("`{}`", key)) ? node : nullptr;
  };
  if (const Node* hooks = list("hooks"))
    for (const auto& hook : hooks->items)
      plan.hooks.push_back(read_hook(hook));
  if (const Node* teardown = list("teardown"))
    for (const auto& hook : teardown->items)
      plan.teardown.push_back(read_hook(hook));
  if (const Node* turns = list("turns"))
    for (const auto& turn : turns->items)
      plan.turns.push_back(read_turn(turn));
  bool planned = plan.turns.size() > 0 || root.find("simulator");
  if (root.is_map() && !planned) reader_.error(root.find("turns") ? *root.find("turns") : root, "a test needs at least one turn");
  plan.agent = read_agent(root);
  plan.checks = read_assert(root.find("assert"), root.find("protocol"));
  read_tools(root, plan);
  for (size_t i = 0; i < plan.turns.size(); ++i)
    if (plan.turns[i].type == TurnType::kConnect && plan.agent.agent_id.empty() && !plan.agent.endpoint.empty())
      reader_.error(root.find("turns")->items[i], "`agui:connect` needs a CopilotKit runtime: set `agentId` of the agent");
  return plan;
}

}  // namespace assay
