#include "serve/request.h"

#include <map>

namespace assay {
namespace {

constexpr size_t kLongestId = 1000;

// Text, or the text parts of a list joined.
std::string content_text(const Json& message) {
  auto it = message.find("content");
  if (it == message.end() || it->is_null()) return {};
  if (!it->is_array()) return text_form(*it);
  std::string out;
  for (const auto& part : *it)
    out += text_at(part, "text");
  return out;
}

using ToolNames = std::map<std::string, std::string, std::less<>>;

void note_calls(const Json& message, ToolNames& names) {
  auto calls = message.find("toolCalls");
  if (calls == message.end() || !calls->is_array()) return;
  for (const auto& call : *calls) {
    if (!call.is_object() || !call.contains("function")) continue;
    names[std::string(text_at(call, "id"))] = text_at(call["function"], "name");
  }
}

void note_result(const Json& message, const ToolNames& names, RunRequest& out) {
  ++out.results;
  out.tool_result = content_text(message);
  out.tool_error.reset();
  if (auto error = message.find("error"); error != message.end() && !error->is_null()) out.tool_error = text_form(*error);
  auto name = names.find(text_at(message, "toolCallId"));
  if (name != names.end()) out.answered.push_back(name->second);
}

void fold(const Json& message, ToolNames& names, RunRequest& out) {
  std::string_view role = text_at(message, "role");
  ++out.since;
  if (role == "user") {
    ++out.turn;
    out.message = content_text(message);
    out.since = out.results = 0;
    out.tool_result.reset();
    out.tool_error.reset();
    out.answered.clear();
  } else if (role == "assistant") {
    note_calls(message, names);
  } else if (role == "tool") {
    note_result(message, names, out);
  }
}

// A member that is a list; null where it is absent or something else.
const Json* list_member(const Json& object, std::string_view key) {
  auto it = object.find(key);
  return it != object.end() && it->is_array() ? &*it : nullptr;
}

const Json* member(const Json* object, std::string_view key) {
  if (!object || !object->is_object()) return nullptr;
  auto it = object->find(key);
  return it == object->end() ? nullptr : &*it;
}

void read_offer(const Json& input, RunRequest& out) {
  if (const Json* tools = list_member(input, "tools"))
    for (const auto& tool : *tools)
      out.tools.emplace_back(text_at(tool, "name"));
  if (const Json* state = member(&input, "state")) out.state = *state;
}

void read_resume(const Json& input, RunRequest& out) {
  if (const Json* resume = list_member(input, "resume"))
    for (const auto& item : *resume) {
      const Json* payload = member(&item, "payload");
      out.resume.push_back(
          {std::string(text_at(item, "interruptId")), std::string(text_at(item, "status")), payload ? *payload : Json()});
    }
  const Json* command = member(member(&input, "forwardedProps"), "command");
  if (const Json* resume = member(command, "resume")) out.command_resume = *resume;
}

}  // namespace

std::string_view text_at(const Json& object, std::string_view key) {
  if (!object.is_object()) return {};
  auto it = object.find(key);
  if (it == object.end() || !it->is_string()) return {};
  return it->get_ref<const std::string&>();
}

Result<RunRequest> read_agui_request(const Json& input) {
  if (!input.is_object()) return fail(ErrorKind::kInput, "the body is no JSON object");
  auto messages = input.find("messages");
  if (messages != input.end() && !messages->is_array()) return fail(ErrorKind::kInput, "`messages` is no list");
  RunRequest out;
  out.thread_id = text_at(input, "threadId");
  out.run_id = text_at(input, "runId");
  if (out.thread_id.empty()) out.thread_id = "thread-0";
  if (out.run_id.empty()) out.run_id = "run-0";
  if (out.thread_id.size() > kLongestId || out.run_id.size() > kLongestId)
    return fail(ErrorKind::kInput, "`threadId` or `runId` is longer than 1000 bytes");
  read_offer(input, out);
  read_resume(input, out);
  ToolNames names;
  if (messages == input.end()) return out;
  for (const auto& message : *messages)
    fold(message, names, out);
  out.messages = *messages;
  return out;
}

}  // namespace assay
