#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/json.h"
#include "base/node.h"
#include "serve/plan.h"
#include "serve/script_server.h"
#include "support/raw_client.h"

namespace assay::test {

// Nodes without places, from JSON.
inline Node node_of(const Json& json) {
  Node node;
  node.scalar = json.is_structured() ? Json() : json;
  node.text = json.is_structured() ? "" : text_form(json);
  if (json.is_object()) {
    node.kind = Node::Kind::kMap;
    for (const auto& [key, value] : json.items())
      node.members.push_back({node_of(key), node_of(value)});
  } else if (json.is_array()) {
    node.kind = Node::Kind::kList;
    for (const auto& item : json)
      node.items.push_back(node_of(item));
  } else {
    node.kind = json.is_string()    ? Node::Kind::kString
                : json.is_number()  ? Node::Kind::kNumber
                : json.is_boolean() ? Node::Kind::kBool
                                    : Node::Kind::kNull;
  }
  return node;
}

inline Node node_from(std::string_view json_text) { return node_of(Json::parse(json_text)); }

inline std::shared_ptr<const ServePlan> plan_from(std::string_view json_text) {
  Reader reader;
  auto plan = std::make_shared<ServePlan>(read_serve_plan(reader, node_from(json_text)));
  for (const auto& error : reader.errors())
    ADD_FAILURE() << render_error(error);
  return plan;
}

inline std::unique_ptr<ScriptServer> serve(std::string_view json_text, ServeOptions options = {}) {
  auto server = ScriptServer::start(plan_from(json_text), std::move(options));
  if (!server) ADD_FAILURE() << server.error().message;
  return server ? std::move(*server) : nullptr;
}

// One agent "a" with one rule.
inline std::unique_ptr<ScriptServer> serve_rule(std::string_view rule) {
  return serve(R"({"agents":{"a":{"rules":[)" + std::string(rule) + "]}}}");
}

inline std::string run_input(std::string_view message, std::string_view thread = "t1", std::string_view run = "r1") {
  Json user = {{"id", "u1"}, {"role", "user"}, {"content", message}};
  return to_compact({{"threadId", thread}, {"runId", run}, {"messages", Json::array({user})}});
}

inline Response ask(const ScriptServer& server, std::string_view body, std::string_view path = "/agents/a") {
  Client client(server.port());
  client.post(path, body);
  return client.read();
}

// The JSON of each event, one to a line; the frame around them is taken off.
inline std::string events_of(const Response& response) {
  std::string out;
  std::string_view rest = response.body;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with("data: ")) out.append(line.substr(6)).append("\n");
  }
  return out;
}

}  // namespace assay::test
