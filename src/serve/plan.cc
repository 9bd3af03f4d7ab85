#include "serve/plan.h"

#include <fmt/format.h>

#include <array>

#include "base/json.h"
#include "serve/steps.h"
#include "serve/stream_fields.h"
#include "serve/when.h"

namespace assay {
namespace {

constexpr int64_t kMostRepeats = 100'000'000;

// Header values go onto the wire as they are: a line break in one would be a header of its own.
void add_header(Reader& reader, const Node& node, const std::string& name, HttpAnswer& out) {
  auto text = reader.text(node, fmt::format("header `{}`", name));
  bool one_line = text && (name + *text).find_first_of("\r\n") == std::string::npos && !name.empty();
  if (text && !one_line) reader.error(node, "a header is one line of text");
  if (one_line) out.headers.emplace_back(name, *text);
}

void read_headers(Reader& reader, const Node& node, HttpAnswer& out) {
  if (!reader.map(node, "`headers`")) return;
  for (const auto& [key, value] : node.members)
    add_header(reader, value, key.text, out);
}

constexpr std::array kHttpFields = {
    Field<HttpAnswer>{"status", "number", "the HTTP status",
                      [](Reader& r, const Node& n, HttpAnswer& out) {
                        out.status = static_cast<int>(r.integer(n, "`status`", 200, 599).value_or(200));
                      }},
    Field<HttpAnswer>{"headers", "map", "more header fields", read_headers},
    Field<HttpAnswer>{
        "content_type", "text", "the media type",
        [](Reader& r, const Node& n, HttpAnswer& out) { out.content_type = r.text(n, "`content_type`").value_or(""); }},
    Field<HttpAnswer>{"body", "any", "text as it is, everything else as JSON",
                      [](Reader&, const Node& n, HttpAnswer& out) { out.body = text_template(n); }},
};

void read_http(Reader& reader, const Node& node, Rule& out) {
  HttpAnswer answer;
  read_fields<HttpAnswer>(reader, node, answer, kHttpFields, "`http`");
  const Node* body = node.find("body");
  bool json = body && (body->is_map() || body->is_list());
  if (answer.content_type.empty()) answer.content_type = json ? "application/json" : "text/plain; charset=utf-8";
  if (answer.content_type.find_first_of("\r\n") != std::string::npos)
    reader.error(*node.find("content_type"), "`content_type` is one line of text");
  out.http = std::move(answer);
}

bool is_html(const Step& step) {
  const auto* fault = std::get_if<FaultStep>(&step);
  return fault && fault->fault == Fault::kHtml;
}

bool sends_snapshot(const Step& step) {
  const auto* text = std::get_if<TextStep>(&step);
  const auto* tool = std::get_if<ToolStep>(&step);
  return (text && text->form == EventForm::kSnapshot) || (tool && tool->form == EventForm::kSnapshot);
}

void read_steps(Reader& reader, const Node& node, Rule& out) {
  if (!reader.list(node, "`steps`")) return;
  for (const auto& item : node.items) {
    auto step = read_step(reader, item);
    if (!step) continue;
    if (is_html(*step) && node.items.size() > 1) reader.error(item, "`fault: html` is the whole answer", "make it the only step");
    out.snapshots = out.snapshots || sends_snapshot(*step);
    out.steps.push_back(std::move(*step));
  }
}

// `redirect: WHERE` or `redirect: {to: WHERE, status: N}`.
constexpr std::array kRedirectFields = {
    Field<HttpAnswer>{"to", "text", "a URL, or a path of this server",
                      [](Reader& r, const Node& n, HttpAnswer& out) { add_header(r, n, "Location", out); },
                      Field<HttpAnswer>::kRequired},
    Field<HttpAnswer>{"status", "number", "the HTTP status (307)",
                      [](Reader& r, const Node& n, HttpAnswer& out) {
                        out.status = static_cast<int>(r.integer(n, "`status`", 300, 399).value_or(307));
                      }},
};

void read_redirect(Reader& reader, const Node& node, Rule& out) {
  HttpAnswer answer;
  answer.status = 307;
  answer.content_type = "text/plain; charset=utf-8";
  if (node.is_map())
    read_fields<HttpAnswer>(reader, node, answer, kRedirectFields, "`redirect`");
  else
    add_header(reader, node, "Location", answer);
  out.http = std::move(answer);
}

constexpr std::array kRuleFields = {
    Field<Rule>{"when", "when", "when the rule plays; without it, always",
                [](Reader& r, const Node& n, Rule& out) { read_when(r, n, out.when); }},
    Field<Rule>{"times", "number", "plays at most so often in one thread",
                [](Reader& r, const Node& n, Rule& out) { out.times = r.integer(n, "`times`", 1); }},
    Field<Rule>{"steps", "list of steps", "what it answers", read_steps},
    Field<Rule>{"http", "http", "an answer that is no stream", read_http},
    Field<Rule>{"redirect", "text or {to, status}", "an answer that sends the client elsewhere", read_redirect},
    Field<Rule>{"delay_ms", "number", "before the head of the response",
                [](Reader& r, const Node& n, Rule& out) { out.delay = read_pause(r, n, "`delay_ms`"); }},
    Field<Rule>{"autorun", "boolean", "RUN_STARTED first and RUN_FINISHED last by themselves (true)",
                [](Reader& r, const Node& n, Rule& out) { out.autorun = r.boolean(n, "`autorun`").value_or(true); }},
    Field<Rule>{"pending", "boolean", "RUN_FINISHED names the calls nobody answered (false)",
                [](Reader& r, const Node& n, Rule& out) { out.pending = r.boolean(n, "`pending`").value_or(false); }},
    Field<Rule>{"ids", "echo or own", "threadId and runId are the request's (echo), or others",
                [](Reader& r, const Node& n, Rule& out) {
                  static const std::vector<std::string> kWords = {"echo", "own"};
                  out.own_ids = r.word(n, "`ids`", kWords).value_or(0) == 1;
                }},
    Field<Rule>{"repeat", "number", "plays the steps so often (1)",
                [](Reader& r, const Node& n, Rule& out) { out.repeat = r.integer(n, "`repeat`", 1, kMostRepeats).value_or(1); }},
};

std::vector<Field<Rule>> rule_fields() {
  std::vector<Field<Rule>> rows(kRuleFields.begin(), kRuleFields.end());
  auto faults = stream_fields();
  rows.insert(rows.end(), faults.begin(), faults.end());
  return rows;
}

// A rule has one kind of answer, and what changes a stream needs one.
void check_answer(Reader& reader, const Node& rule) {
  std::vector<const Node*> answers;
  for (const auto& [key, value] : rule.members)
    if (key.text == "steps" || key.text == "http" || key.text == "redirect") answers.push_back(&key);
  if (answers.empty()) reader.error(rule, "a rule needs `steps`, `http` or `redirect`");
  for (size_t i = 1; i < answers.size(); ++i)
    reader.error(*answers[i], fmt::format("`{}` and `{}` exclude each other", answers[0]->text, answers[i]->text));
  if (answers.empty() || rule.find("steps")) return;
  for (const auto& row : stream_fields())
    if (rule.find(row.name)) reader.error(*rule.find(row.name), fmt::format("`{}` goes with `steps` only", row.name));
}

void read_rules(Reader& reader, const Node& node, AgentScript& out) {
  static const std::vector<Field<Rule>> kRows = rule_fields();
  if (!reader.list(node, "`rules`")) return;
  for (const auto& item : node.items) {
    Rule rule;
    read_fields<Rule>(reader, item, rule, kRows, "a rule");
    if (item.is_map()) check_answer(reader, item);
    for (const Breach* breach : rule.violate)
      if (breach->wire) breach->wire(rule.wire);
    out.rules.push_back(std::move(rule));
  }
}

constexpr std::array kAgentFields = {
    Field<AgentScript>{"rules", "list of rules", "the first rule whose `when` holds plays", read_rules,
                       Field<AgentScript>::kRequired},
};

void read_agents(Reader& reader, const Node& node, ServePlan& out) {
  if (!reader.map(node, "`agents`")) return;
  for (const auto& [key, value] : node.members) {
    AgentScript agent;
    agent.name = key.text;
    if (agent.name.empty() || agent.name.find('/') != std::string::npos)
      reader.error(key, "an agent's name is part of a URL: not empty, no slash");
    read_fields<AgentScript>(reader, value, agent, kAgentFields, "an agent");
    out.agents.push_back(std::move(agent));
  }
  if (node.members.empty()) reader.error(node, "`agents` is empty");
}

constexpr std::array kPlanFields = {
    Field<ServePlan>{"agents", "map of agents", "agents by their names", read_agents, Field<ServePlan>::kRequired},
};

}  // namespace

const AgentScript* ServePlan::find(std::string_view name) const {
  for (const auto& agent : agents)
    if (agent.name == name) return &agent;
  return nullptr;
}

std::vector<std::string> ServePlan::names() const {
  std::vector<std::string> out;
  for (const auto& agent : agents)
    out.push_back(agent.name);
  return out;
}

ServePlan read_serve_plan(Reader& reader, const Node& root) {
  ServePlan plan;
  read_fields<ServePlan>(reader, root, plan, kPlanFields, "a serve file");
  return plan;
}

}  // namespace assay
