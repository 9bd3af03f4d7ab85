#include "tape/tape.h"

#include <fmt/format.h>

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
Time time_of(const Json& value) { return value.is_number() ? read_tape_time(value.get<double>()) : kNoTime; }

Json end_json(const RunEnd& end) {
  Json out = {{"kind", kKinds[static_cast<size_t>(end.kind)]}, {"at", time_json(end.at)}, {"status", end.status}};
  out["content_type"] = end.content_type;
  if (!end.message.empty()) out["message"] = end.message;
  if (end.saw_carriage_return) out["carriage_return"] = true;
  if (end.unterminated) out["unterminated"] = true;
  return out;
}

RunEnd read_end(const Json& json) {
  RunEnd end;
  std::string kind = json.value("kind", "complete");
  for (size_t i = 0; i < std::size(kKinds); ++i)
    if (kKinds[i] == kind) end.kind = static_cast<RunEnd::Kind>(i);
  end.at = time_of(json.value("at", Json()));
  end.status = json.value("status", 200);
  end.content_type = json.value("content_type", "text/event-stream");
  end.message = json.value("message", "");
  end.saw_carriage_return = json.value("carriage_return", false);
  end.unterminated = json.value("unterminated", false);
  return end;
}

TapeTurn read_turn(const Json& json) {
  TapeTurn turn;
  for (const auto& item : json.at("rounds")) {
    TapeRound round;
    round.request = item.value("request", "");
    round.start = time_of(item.value("start", Json()));
    round.events = item.at("events").get<size_t>();
    round.end = read_end(item.value("end", Json::object()));
    turn.rounds.push_back(std::move(round));
  }
  return turn;
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
  if (!value || !value->is_object()) {
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
  auto parsed = parse_json(text);
  if (!parsed) return fail(ErrorKind::kInput, parsed.error().message);
  try {
    const Json& json = *parsed;
    if (json.at("version").get<int>() != kVersion) return fail(ErrorKind::kInput, "a tape of another version: record it again");
    TapeMeta meta;
    meta.test = json.value("test", "");
    meta.name = json.value("name", "");
    meta.ids = json.at("ids").get<std::vector<std::string>>();
    for (const auto& item : json.value("hooks", Json::array()))
      meta.hooks.push_back({item.value("ok", true), item.value("error", ""), from_ms(item.value("duration_ms", 0.0))});
    for (const auto& item : json.at("turns"))
      meta.turns.push_back(read_turn(item));
    return meta;
  } catch (const Json::exception& e) {
    return fail(ErrorKind::kInput, fmt::format("it is not what assay writes: {}", e.what()));
  }
}

}  // namespace assay
