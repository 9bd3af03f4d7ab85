#include "serve/when.h"

#include <array>

#include "check/read_pattern.h"

namespace assay {
namespace {

constexpr std::array kResumeFields = {
    Field<ResumeMatch>{"id", "text", "the interrupt that is answered",
                       [](Reader& r, const Node& n, ResumeMatch& out) { out.id = r.text(n, "`id`"); }},
    Field<ResumeMatch>{"status", "resolved or cancelled", "how it was answered",
                       [](Reader& r, const Node& n, ResumeMatch& out) {
                         static const std::vector<std::string> kStatus = {"resolved", "cancelled"};
                         if (auto index = r.word(n, "`status`", kStatus)) out.status = kStatus[*index];
                       }},
    Field<ResumeMatch>{"payload", "pattern", "over the payload, as JSON where it is no text",
                       [](Reader& r, const Node& n, ResumeMatch& out) { out.payload = read_pattern(r, n, "`payload`"); }},
};

void read_resume(Reader& reader, const Node& node, When& out) {
  ResumeMatch match;
  if (node.is_map())
    read_fields<ResumeMatch>(reader, node, match, kResumeFields, "`resume`");
  else if (node.kind == Node::Kind::kBool)
    match.given = reader.boolean(node, "`resume`").value_or(true);
  else
    match.payload = read_pattern(reader, node, "`resume`");
  out.resume = std::move(match);
}

constexpr std::array kWhenFields = {
    Field<When>{"message", "pattern", "over the text of the last user message",
                [](Reader& r, const Node& n, When& out) { out.message = read_pattern(r, n, "`message`"); }},
    Field<When>{"turn", "number", "number of user messages in the request",
                [](Reader& r, const Node& n, When& out) { out.turn = r.integer(n, "`turn`", 0); }},
    Field<When>{"tool_result", "pattern", "over the content of the last tool message after the last user message",
                [](Reader& r, const Node& n, When& out) { out.tool_result = read_pattern(r, n, "`tool_result`"); }},
    Field<When>{"tool_error", "pattern", "over the error of that message",
                [](Reader& r, const Node& n, When& out) { out.tool_error = read_pattern(r, n, "`tool_error`"); }},
    Field<When>{"after_tools", "list of text", "tools that have a result after the last user message",
                [](Reader& r, const Node& n, When& out) { out.after_tools = r.text_or_texts(n, "`after_tools`"); }},
    Field<When>{"has_tool", "text or list of text", "client-side tools that the request offers",
                [](Reader& r, const Node& n, When& out) { out.has_tool = r.text_or_texts(n, "`has_tool`"); }},
    Field<When>{"resume", "boolean, pattern or {id, status, payload}", "the request answers an interrupt", read_resume},
    Field<When>{"command_resume", "pattern", "over forwardedProps.command.resume",
                [](Reader& r, const Node& n, When& out) { out.command_resume = read_pattern(r, n, "`command_resume`"); }},
    Field<When>{"state", "map", "members that the state has",
                [](Reader& r, const Node& n, When& out) {
                  if (r.map(n, "`state`")) out.state = n.to_json();
                }},
};

}  // namespace

void read_when(Reader& reader, const Node& node, When& out) { read_fields<When>(reader, node, out, kWhenFields, "`when`"); }

}  // namespace assay
