#include "serve/request.h"

#include <map>

#include "base/json.h"

namespace assay {
namespace {

std::string_view text_of(const Json& object, std::string_view key) {
  if (!object.is_object()) return {};
  auto it = object.find(key);
  if (it == object.end() || !it->is_string()) return {};
  return it->get_ref<const std::string&>();
}

// Text, or the text parts of a list joined.
std::string content_text(const Json& message) {
  auto it = message.find("content");
  if (it == message.end() || it->is_null()) return {};
  if (!it->is_array()) return text_form(*it);
  std::string out;
  for (const auto& part : *it)
    out += text_of(part, "text");
  return out;
}

using ToolNames = std::map<std::string, std::string, std::less<>>;

void note_calls(const Json& message, ToolNames& names) {
  auto calls = message.find("toolCalls");
  if (calls == message.end() || !calls->is_array()) return;
  for (const auto& call : *calls) {
    if (!call.is_object() || !call.contains("function")) continue;
    names[std::string(text_of(call, "id"))] = text_of(call["function"], "name");
  }
}

void fold(const Json& message, ToolNames& names, RunRequest& out) {
  std::string_view role = text_of(message, "role");
  if (role == "user") {
    ++out.turn;
    out.message = content_text(message);
    out.results = 0;
    out.tool_result.reset();
    out.answered.clear();
  } else if (role == "assistant") {
    note_calls(message, names);
  } else if (role == "tool") {
    ++out.results;
    out.tool_result = content_text(message);
    auto name = names.find(text_of(message, "toolCallId"));
    if (name != names.end()) out.answered.push_back(name->second);
  }
}

}  // namespace

Result<RunRequest> read_agui_request(std::string_view body) {
  auto json = parse_json(body);
  if (!json) return fail(ErrorKind::kInput, json.error().message);
  if (!json->is_object()) return fail(ErrorKind::kInput, "the body is no JSON object");
  auto messages = json->find("messages");
  if (messages != json->end() && !messages->is_array()) return fail(ErrorKind::kInput, "`messages` is no list");
  RunRequest out;
  out.thread_id = text_of(*json, "threadId");
  out.run_id = text_of(*json, "runId");
  if (out.thread_id.empty()) out.thread_id = "thread-0";
  if (out.run_id.empty()) out.run_id = "run-0";
  ToolNames names;
  if (messages != json->end())
    for (const auto& message : *messages)
      fold(message, names, out);
  return out;
}

}  // namespace assay
