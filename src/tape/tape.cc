#include "tape/tape.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace assay {
namespace {

constexpr int kVersion = 1;
constexpr size_t kLongestName = 200;

uint64_t fnv(std::string_view text, uint64_t hash = 0xcbf29ce484222325u) {
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

// One component of a path, whatever a test was called.
std::string safe_name(std::string_view part) {
  if (part.empty() || part == "." || part == "..") return "_";
  std::string out;
  for (unsigned char c : part)
    out += c < 0x20 || c == 0x7f || c == '\\' ? '_' : static_cast<char>(c);
  if (out.size() > kLongestName) out = fmt::format("{}-{:016x}", valid_utf8(out.substr(0, kLongestName)), fnv(part));
  return out;
}

constexpr std::string_view kKinds[] = {"complete", "http_error", "transport_error", "timeout", "cancelled", "broken"};

Json time_json(Time t) { return t == kNoTime ? Json() : Json(static_cast<double>(t.time_since_epoch().count()) / 1000.0); }
Json end_json(const RunEnd& end) {
  Json out = {{"kind", kKinds[static_cast<size_t>(end.kind)]}, {"at", time_json(end.at)}, {"status", end.status}};
  out["content_type"] = end.content_type;
  if (!end.message.empty()) out["message"] = end.message;
  if (end.saw_carriage_return) out["carriage_return"] = true;
  if (end.unterminated) out["unterminated"] = true;
  return out;
}

// Reading with defaults: what is missing or of another type is left as it is.
using simdjson::dom::element;
template <class T>
void take(element object, std::string_view key, T& out) {
  T value;
  if (object[key].get(value) == simdjson::SUCCESS) out = value;
}
void take(element object, std::string_view key, std::string& out) {
  std::string_view value;
  if (object[key].get(value) == simdjson::SUCCESS) out = value;
}
void take(element object, std::string_view key, Time& out) {
  double value = 0;
  if (object[key].get(value) == simdjson::SUCCESS) out = read_tape_time(value);
}

RunEnd read_end(element json) {
  RunEnd end;
  std::string kind = "complete";
  int64_t status = 200;
  end.content_type = "text/event-stream";
  take(json, "kind", kind);
  for (size_t i = 0; i < std::size(kKinds); ++i)
    if (kKinds[i] == kind) end.kind = static_cast<RunEnd::Kind>(i);
  take(json, "status", status);
  end.status = static_cast<int>(status);
  take(json, "at", end.at);
  take(json, "content_type", end.content_type);
  take(json, "message", end.message);
  take(json, "carriage_return", end.saw_carriage_return);
  take(json, "unterminated", end.unterminated);
  return end;
}

bool read_turn(element json, TapeTurn& turn) {
  simdjson::dom::array rounds;
  if (json["rounds"].get(rounds) != simdjson::SUCCESS) return false;
  for (element item : rounds) {
    TapeRound round;
    uint64_t events = 0;
    element end;
    if (item["events"].get(events) != simdjson::SUCCESS || item["end"].get(end) != simdjson::SUCCESS) return false;
    round.events = events;
    take(item, "request", round.request);
    take(item, "start", round.start);
    round.end = read_end(end);
    turn.rounds.push_back(std::move(round));
  }
  return true;
}

bool read_hooks(element json, std::vector<TapeHook>& out) {
  simdjson::dom::array hooks;
  if (json["hooks"].get(hooks) != simdjson::SUCCESS) return true;
  for (element item : hooks) {
    TapeHook hook;
    double ms = 0;
    take(item, "ok", hook.ok);
    take(item, "error", hook.error);
    take(item, "duration_ms", ms);
    hook.duration = from_ms(ms);
    out.push_back(std::move(hook));
  }
  return true;
}

bool read_meta(element json, TapeMeta& meta) {
  simdjson::dom::array ids;
  simdjson::dom::array turns;
  if (json["ids"].get(ids) != simdjson::SUCCESS || json["turns"].get(turns) != simdjson::SUCCESS) return false;
  take(json, "test", meta.test);
  take(json, "name", meta.name);
  for (element item : ids) {
    std::string_view id;
    if (item.get(id) != simdjson::SUCCESS) return false;
    meta.ids.emplace_back(id);
  }
  for (element item : turns)
    if (!read_turn(item, meta.turns.emplace_back())) return false;
  return read_hooks(json, meta.hooks);
}

}  // namespace

std::string tape_directory(const std::string& root, const Case& c) {
  std::string out = root;
  std::string_view rest = c.file;
  while (rest.starts_with("/"))
    rest.remove_prefix(1);
  while (!rest.empty()) {
    size_t end = std::min(rest.find('/'), rest.size());
    out += "/" + safe_name(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

std::string request_hash(const Request& request, const Redactor& secrets) {
  Json asked = {{"tools", request.tools}, {"resume", request.resume}, {"connect", request.connect}};
  Json& messages = asked["messages"] = Json::array();
  for (const auto& message : request.messages)
    messages.push_back({message.value("role", Json()), message.value("content", Json())});
  if (!secrets.empty()) secrets.apply_to_strings(asked);
  return fmt::format("{:016x}", fnv(to_compact(asked)));
}

std::string tape_time(Time t) {
  int64_t us = t.time_since_epoch().count();
  int64_t fraction = us % 1000;
  return fraction == 0 ? fmt::format("{}", us / 1000) : fmt::format("{}.{:03}", us / 1000, fraction);
}

Time read_tape_time(double unix_ms) { return Time(Duration(std::llround(unix_ms * 1000.0))); }

std::string tape_line(std::string_view event, Time at, const Redactor& secrets) {
  auto value = parse_json(event);
  std::string text(trim(event));
  // Names that the tape gives a meaning of its own are not the agent's to use: such an event is kept as text.
  bool takes_ours =
      value && value->is_object() && (value->contains("_ts") || value->contains("_from") || value->contains("_raw"));
  if (!value || !value->is_object() || takes_ours) {
    Json raw = {{"_raw", valid_utf8(event)}};
    secrets.apply_to_strings(raw);
    text = to_compact(raw);
  } else if (!secrets.empty()) {
    Json shown = *value;
    secrets.apply_to_strings(shown);
    if (shown != *value) text = to_compact(shown);
  }
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  size_t brace = text.rfind('}');
  bool bare = value && value->is_object() && value->empty();
  return fmt::format("{}{}\"_ts\":{}}}\n", std::string_view(text).substr(0, brace), bare ? "" : ",", tape_time(at));
}

std::string tape_answer_line(Json answer, Time at, const Redactor& secrets) {
  secrets.apply_to_strings(answer);
  std::string text = to_compact(answer);
  text.pop_back();
  return fmt::format("{},\"_from\":\"client\",\"_ts\":{}}}\n", text, tape_time(at == kNoTime ? Time() : at));
}

Json tape_meta_json(const TapeMeta& meta) {
  Json out = {{"version", kVersion}, {"assay", ASSAY_VERSION}, {"test", meta.test}, {"name", meta.name}};
  out["recorded"] = time_json(meta.recorded);
  out["ids"] = meta.ids;
  Json& hooks = out["hooks"] = Json::array();
  for (const auto& hook : meta.hooks) {
    hooks.push_back({{"ok", hook.ok}, {"duration_ms", to_ms(hook.duration)}});
    if (!hook.error.empty()) hooks.back()["error"] = hook.error;
  }
  Json& turns = out["turns"] = Json::array();
  for (const auto& turn : meta.turns) {
    Json rounds = Json::array();
    for (const auto& round : turn.rounds)
      rounds.push_back({{"request", round.request},
                        {"start", time_json(round.start)},
                        {"events", round.events},
                        {"end", end_json(round.end)}});
    turns.push_back({{"rounds", std::move(rounds)}});
  }
  return out;
}

Result<TapeMeta> read_tape_meta(std::string_view text) {
  simdjson::dom::parser parser;
  element json;
  if (parser.parse(text.data(), text.size()).get(json) != simdjson::SUCCESS || !json.is_object())
    return fail(ErrorKind::kInput, "it is not a JSON object");
  int64_t version = 0;
  take(json, "version", version);
  if (version != kVersion) return fail(ErrorKind::kInput, "it is of another version of assay: record the test again");
  TapeMeta meta;
  if (!read_meta(json, meta)) return fail(ErrorKind::kInput, "it is not what assay writes: record the test again");
  return meta;
}

}  // namespace assay
