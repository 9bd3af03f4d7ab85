#include "load/tool_stubs.h"

#include <fmt/format.h>

#include "base/text.h"
#include "check/matcher.h"
#include "load/command.h"

namespace assay {
namespace {

// One entry of `match`.
struct MatchEntry {
  std::optional<Matcher> args;
  bool limited = false;  // `args` is written; without it every call fits
  std::optional<Json> returns;
  std::optional<std::string> error;
};

constexpr Field<MatchEntry> kMatchFields[] = {
    {"args", "map of matcher", "what the arguments must be like; without it every call fits",
     [](Reader& r, const Node& n, MatchEntry& e) { e.limited = true, e.args = Matcher::read_fields(r, n); }},
    {"returns", "any", "the answer", [](Reader&, const Node& n, MatchEntry& e) { e.returns = n.to_json(); }},
    {"error", "text", "the answer is an error", [](Reader& r, const Node& n, MatchEntry& e) { e.error = r.text(n, "`error`"); }},
};

ToolReply failure(std::string message) { return {message, message}; }

void read_match(Reader& r, const Node& n, ToolStub& stub) {
  if (!r.list(n, "`match`")) return;
  if (n.items.empty()) r.error(n, "`match` is empty");
  stub.kind = ToolStub::Kind::kMatch;
  for (const auto& item : n.items) {
    MatchEntry entry;
    read_fields<MatchEntry>(r, item, entry, kMatchFields, "an entry of `match`");
    if (item.is_map() && entry.returns.has_value() == entry.error.has_value() && !item.has_deferred())
      r.error(item, "an entry of `match` needs `returns` or `error`");
    if (entry.limited && !entry.args) continue;  // a mistake, told already
    auto fits = [args = entry.args](const Json& value) { return !args || !args->mismatch(&value); };
    stub.rules.push_back({std::move(fits), entry.error ? failure(*entry.error) : ToolReply{entry.returns.value_or(Json()), {}}});
  }
}

void read_sequence(Reader& r, const Node& n, ToolStub& stub) {
  if (!r.list(n, "`sequence`")) return;
  if (n.items.empty()) r.error(n, "`sequence` is empty");
  stub.kind = ToolStub::Kind::kReplies;
  for (const auto& item : n.items)
    stub.replies.push_back({item.to_json(), {}});
}

void add_reply(ToolStub& stub, ToolReply reply) {
  if (stub.kind != ToolStub::Kind::kMatch) stub.kind = ToolStub::Kind::kReplies;
  stub.replies.push_back(std::move(reply));
}

void read_cmd(Reader& r, const Node& n, ToolStub& stub) {
  stub.cmd = read_command(r, n, R"(["node", "confirm.js"])");
  stub.kind = ToolStub::Kind::kCommand;
}

void read_error(Reader& r, const Node& n, ToolStub& stub) {
  if (auto text = r.text(n, "`error`")) add_reply(stub, failure(*text));
}

void read_unanswered(Reader& r, const Node& n, ToolStub&) {
  bool yes = n.kind == Node::Kind::kBool && n.scalar == Json(true);
  if (!yes && !n.is_deferred()) r.error(n, "`unanswered` is true, or is left out");
}

// `match` is read first: `returns` and `error` beside it are what a call gets that nothing matches.
constexpr Field<ToolStub> kStubFields[] = {
    {"match", "list", "answers by arguments, the first that fits", read_match},
    {"name", "text", "name of the tool", [](Reader& r, const Node& n, ToolStub& s) { s.name = r.text(n, "`name`").value_or(""); },
     Field<ToolStub>::kRequired},
    {"description", "text", "told to the agent",
     [](Reader& r, const Node& n, ToolStub& s) { s.description = r.text(n, "`description`").value_or(""); }},
    {"parameters", "map", "JSON Schema of the arguments, told to the agent",
     [](Reader& r, const Node& n, ToolStub& s) {
       if (r.map(n, "`parameters`")) s.parameters = n.to_json();
     }},
    {"returns", "any", "the answer",
     [](Reader&, const Node& n, ToolStub& s) {
       add_reply(s, {n.to_json(), {}});
     }},
    {"sequence", "list", "first answer, second answer, …; the last repeats", read_sequence},
    {"cmd", "list of text", "a command: arguments on stdin, answer on stdout", read_cmd},
    {"error", "text", "the tool message carries this error", read_error},
    {"unanswered", "boolean", "true: leave the call pending", read_unanswered},
    {"delay_ms", "number", "how long the answer takes",
     [](Reader& r, const Node& n, ToolStub& s) { s.delay = r.milliseconds(n, "`delay_ms`").value_or(Duration{}); }},
    {"timeout_ms", "number", "the command is ended after this (30000)",
     [](Reader& r, const Node& n, ToolStub& s) {
       if (auto d = r.milliseconds(n, "`timeout_ms`")) s.timeout = *d;
     }},
};

void check_one_answer(Reader& reader, const Node& node) {
  std::vector<std::string> given;
  for (std::string_view key : {"returns", "sequence", "match", "cmd", "error", "unanswered"})
    if (node.find(key)) given.emplace_back(key);
  bool fallback = given.size() == 2 && node.find("match") && (node.find("returns") || node.find("error"));
  if (given.size() > 1 && !fallback)
    reader.error(node, fmt::format("a tool answers in one way, not by {}", join(given, " and ")),
                 "one of returns, sequence, match, cmd, error, unanswered (returns or error may stand beside match)");
}

}  // namespace

std::vector<ToolStub> read_tool_stubs(Reader& reader, const Node& node) {
  std::vector<ToolStub> out;
  if (node.is_null() || !reader.list(node, "`tools`")) return out;
  for (const auto& item : node.items) {
    ToolStub stub;
    stub.place = item.place();
    read_fields<ToolStub>(reader, item, stub, kStubFields, "a tool");
    if (item.is_map()) check_one_answer(reader, item);
    for (const auto& other : out)
      if (!stub.name.empty() && other.name == stub.name)
        reader.error(item, fmt::format("there are two tools named {}", quote(stub.name)));
    out.push_back(std::move(stub));
  }
  return out;
}

std::optional<Unmocked> read_unmocked(Reader& reader, const Node& node) {
  static const std::vector<std::string> kWords = {"ignore", "fail", "answer"};
  auto word = reader.word(node, "`unmocked`", kWords);
  if (!word) return std::nullopt;
  return static_cast<Unmocked>(*word);
}

}  // namespace assay
