#include "load/agent_spec.h"

#include <fmt/format.h>

#include "base/text.h"
#include "load/config.h"

namespace assay {
namespace {

void read_type(Reader& r, const Node& n, AgentSpec& spec) {
  static const std::vector<std::string> kTypes = {"agui", "openai", "anthropic", "assistant", "mcp", "a2a", "scripted"};
  auto word = r.word(n, "`type`", kTypes);
  if (word.value_or(0) > 0) refuse_not_built(r, n, fmt::format("an agent of type {}", n.text));
  if (word) spec.type = kTypes[*word];
}

void read_endpoint(Reader& r, const Node& n, AgentSpec& spec) {
  auto url = r.text(n, "`endpoint`");
  if (!url) return;
  std::string small = lower(*url);
  size_t scheme = small.starts_with("http://") ? 7 : small.starts_with("https://") ? 8 : 0;
  bool bad = url->find_first_of(" \t\r\n") != std::string::npos;
  bool unset = url->starts_with("***");  // from a variable that a replay does without
  if (!unset && (scheme == 0 || url->size() <= scheme || (*url)[scheme] == '/' || bad))
    r.error(n, fmt::format("endpoint {} is not an http:// or https:// URL", quote(*url)));
  spec.endpoint = *url;
}

void read_header(Reader& r, const Node::Member& member, AgentSpec& spec) {
  auto value = r.text(member.value, fmt::format("header {}", visible(member.key.text)));
  if (!value) return;
  const std::string& name = member.key.text;
  bool name_ok =
      !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f && c != ':'; });
  if (!name_ok) r.error(member.key, fmt::format("{} is no header name", quote(name)));
  if (value->find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
    r.error(member.value, fmt::format("header {} holds a line break", visible(name)));
  spec.headers.emplace_back(name, *value);
}

void read_headers(Reader& r, const Node& n, AgentSpec& spec) {
  if (!r.map(n, "`headers`")) return;
  for (const auto& member : n.members)
    read_header(r, member, spec);
}

void read_history(Reader& r, const Node& n, AgentSpec& spec) {
  static const std::vector<std::string> kWords = {"full", "last"};
  if (auto word = r.word(n, "`history`", kWords)) spec.full_history = *word == 0;
}

void read_transport(Reader& r, const Node& n, AgentSpec& spec) {
  static const std::vector<std::string> kWords = {"envelope", "http"};
  if (auto word = r.word(n, "`transport`", kWords)) spec.single_route = *word == 0;
}

void read_context(Reader& r, const Node& n, AgentSpec& spec) {
  if (!r.list(n, "`context`")) return;
  for (const auto& item : n.items)
    if (r.map(item, "an item of `context`") && (!item.find("description") || !item.find("value")))
      r.error(item, "an item of `context` needs `description` and `value`");
  spec.context = n.to_json();
}

void elsewhere(Reader&, const Node&, AgentSpec&) {}

constexpr Field<AgentSpec> kAgentFields[] = {
    {"type", "word", "kind of agent (agui)", read_type},
    {"endpoint", "text", "URL the runs are posted to", read_endpoint, Field<AgentSpec>::kRequired},
    {"headers", "map of text", "HTTP headers of every request", read_headers},
    {"timeout_ms", "number", "one request until its stream ends (none: the case's timeout)",
     [](Reader& r, const Node& n, AgentSpec& s) { s.timeout = r.milliseconds(n, "`timeout_ms`"); }},
    {"agentId", "text", "CopilotKit single-route agent",
     [](Reader& r, const Node& n, AgentSpec& s) { s.agent_id = r.text(n, "`agentId`").value_or(""); }},
    {"transport", "word", "with agentId: `envelope` (default, single-route) or `http` (multi-route: a path for each agent)",
     read_transport},
    {"threadId", "text", "fixed thread (default: a new one per case)",
     [](Reader& r, const Node& n, AgentSpec& s) { s.thread_id = r.text(n, "`threadId`").value_or(""); }},
    {"state", "any", "state sent with the first input",
     [](Reader&, const Node& n, AgentSpec& s) { s.state = n.to_json(), s.has_state = true; }},
    {"context", "list", "context sent with every input", read_context},
    {"forwardedProps", "any", "passed to the agent untouched",
     [](Reader&, const Node& n, AgentSpec& s) {
       if (!n.is_null()) s.forwarded_props = n.to_json();
     }},
    {"history", "word", "`full` (default) or `last`: what is sent with a later turn", read_history},
    {"retry", "number", "attempts where the request was certainly not served (3)",
     [](Reader& r, const Node& n, AgentSpec& s) {
       if (auto v = r.integer(n, "`retry`", 1, 100)) s.attempts = static_cast<int>(*v);
     }},
    {"assert", "assert", "default checks of every test", elsewhere},
    {"protocol", "protocol", "how protocol violations count", elsewhere},
    {"launch", "launch", "starts the application first", elsewhere},
};

}  // namespace

AgentSpec read_agent_spec(Reader& reader, const Node& node, Redactor* secrets) {
  AgentSpec spec;
  spec.place = node.place();
  read_fields<AgentSpec>(reader, node, spec, kAgentFields, "the agent");
  for (const auto& [name, value] : spec.headers) {
    if (!secrets || !is_secret_header(name)) continue;
    secrets->add(value);
    // "Bearer abc": the part behind the scheme is the secret that appears elsewhere.
    if (size_t blank = value.find(' '); blank != std::string::npos) secrets->add(std::string_view(value).substr(blank + 1));
  }
  return spec;
}

}  // namespace assay
