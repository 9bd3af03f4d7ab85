#include "run/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

std::string id_of(const Json& interrupt) {
  auto id = interrupt.is_object() ? interrupt.find("id") : interrupt.end();
  return interrupt.is_object() && id != interrupt.end() && id->is_string() ? id->get<std::string>() : std::string();
}

std::vector<std::string> ids_of(const Json& interrupts) {
  std::vector<std::string> out;
  for (const auto& interrupt : interrupts)
    out.push_back(id_of(interrupt));
  return out;
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// {status: resolved, payload: …} written out, as opposed to a value that happens to be a map.
bool is_entry(const Json& value) {
  if (!value.is_object() || !value.contains("status")) return false;
  const Json& status = value["status"];
  if (status != "resolved" && status != "cancelled") return false;
  for (const auto& [key, ignored] : value.items())
    if (key != "status" && key != "payload" && key != "metadata") return false;
  return true;
}

Json entry(const std::string& id, const Json& value) {
  Json out = {{"interruptId", id}};
  if (value == "cancelled") {
    out["status"] = "cancelled";
  } else if (is_entry(value)) {
    for (const auto& [key, item] : value.items())
      out[key] = item;
  } else {
    out["status"] = "resolved";
    if (!value.is_null()) out["payload"] = value;
  }
  return out;
}

// What the agent asks: its message, or the value that LangGraph gave.
std::string question(const Json& interrupt) {
  auto message = interrupt.find("message");
  if (message != interrupt.end() && message->is_string()) return message->get<std::string>();
  auto metadata = interrupt.find("metadata");
  if (metadata == interrupt.end() || !metadata->is_object()) return {};
  auto value = metadata->find("value");
  if (value == metadata->end() || value->is_null()) return {};
  return value->is_string() ? value->get<std::string>() : to_compact(*value);
}

std::string describe(const Json& interrupt) {
  std::string id = id_of(interrupt);
  std::string out = id.empty() ? "without an id" : quote(id);
  if (!interrupt.is_object()) return out;
  auto reason = interrupt.find("reason");
  if (reason != interrupt.end() && reason->is_string()) out += fmt::format(" ({})", visible(reason->get<std::string>()));
  std::string asked = question(interrupt);
  if (!asked.empty()) out += " " + quote(shorten(asked, 120));
  return out;
}

}  // namespace

Result<Json> resume_entries(const Json& resume, const Json& interrupts) {
  std::vector<std::string> ids = ids_of(interrupts);
  if (ids.empty() || contains(ids, ""))
    return fail(ErrorKind::kInput, "`resume` cannot answer an interrupt without an id: the agent gave none");
  std::vector<std::string> unknown;
  size_t known = 0;
  if (resume.is_object() && !is_entry(resume))
    for (const auto& [key, value] : resume.items())
      contains(ids, key) ? void(++known) : unknown.push_back(key);
  bool by_id = known > 0;
  if (by_id && !unknown.empty())
    return fail(ErrorKind::kInput, fmt::format("`resume` answers {}, which is not open: the open interrupts are {}",
                                               quote(join(unknown, ", ")), quote(join(ids, ", "))));
  Json out = Json::array();
  for (const auto& id : ids) {
    if (by_id && !resume.contains(id))
      return fail(ErrorKind::kInput,
                  fmt::format("`resume` does not answer {}: every open interrupt needs an answer, or `cancelled`", quote(id)));
    out.push_back(entry(id, by_id ? resume[id] : resume));
  }
  return out;
}

std::string resume_mistake(bool has_resume, const Turn* before) {
  bool open = before && before->outcome == Outcome::kInterrupt;
  if (has_resume && !open) return "`resume` has nothing to answer: the turn before it did not end with an interrupt";
  if (has_resume || !open) return {};
  std::vector<std::string> shown;
  for (const auto& interrupt : before->interrupts)
    shown.push_back(describe(interrupt));
  return fmt::format("the agent waits for an answer to {}: give this turn a `resume`",
                     shown.empty() ? "an interrupt" : "interrupt " + join(shown, ", "));
}

}  // namespace assay
