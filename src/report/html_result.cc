#include "report/html_result.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "report/json_fields.h"

namespace assay {
namespace {

std::string milliseconds(const Json& object, std::string_view name) {
  return format_duration(std::chrono::milliseconds(integer_field(object, name)));
}

void heading_row(HtmlWriter& html, std::initializer_list<std::string_view> names) {
  auto head = html.open("thead");
  auto row = html.open("tr");
  for (std::string_view name : names)
    html.leaf("th", name, {{"scope", "col"}});
}

void value_cell(HtmlWriter& html, const Json& value) {
  auto cell = html.open("td");
  if (!value.is_null()) html.leaf("pre", text_form(value));
}

std::string place_text(const Json& source) {
  return fmt::format("{}:{}:{}", text_field(source, "file"), integer_field(source, "line"), integer_field(source, "column"));
}

std::string check_verdict(const Json& check) {
  if (true_field(check, "passed")) return "passed";
  return true_field(check, "optional") ? "failed (optional)" : "failed";
}

void write_check(HtmlWriter& html, const Json& check) {
  auto row = html.open("tr");
  html.leaf("td", check_verdict(check), {{"class", true_field(check, "passed") ? "ok" : "no"}});
  {
    auto cell = html.open("td");
    std::string name = text_field(check, "name");
    html.leaf("div", text_field(check, "type") + (name.empty() ? "" : " (" + name + ")"));
    html.leaf("div", text_field(check, "message"));
    if (field(check, "source").is_object()) html.leaf("div", place_text(field(check, "source")), {{"class", "dim"}});
  }
  int64_t turn = integer_field(check, "turn");
  html.leaf("td", turn > 0 ? std::to_string(turn) : "all");
  value_cell(html, field(check, "expected"));
  value_cell(html, field(check, "actual"));
}

void write_checks(HtmlWriter& html, const Json& checks) {
  if (!checks.is_array() || checks.empty()) return;
  html.leaf("h2", "Checks");
  auto table = html.open("table", {{"class", "checks"}});
  heading_row(html, {"verdict", "check", "turn", "expected", "actual"});
  auto body = html.open("tbody");
  for (const Json& check : checks)
    write_check(html, check);
}

std::string call_duration(const Json& call) {
  const Json& start = field(call, "start_ts");
  const Json& end = field(call, field(call, "result_ts").is_null() ? "end_ts" : "result_ts");
  if (!start.is_number() || !end.is_number()) return {};
  return format_duration(std::chrono::milliseconds(end.get<int64_t>() - start.get<int64_t>()));
}

void write_call(HtmlWriter& html, const Json& call) {
  auto row = html.open("tr");
  html.leaf("td", text_field(call, "name"));
  const Json& unparsed = field(call, "arguments_text");
  value_cell(html, unparsed.is_null() ? field(call, "arguments") : unparsed);
  const Json& error = field(call, "error");
  value_cell(html, error.is_null() ? field(call, "result") : Json("error: " + text_form(error)));
  html.leaf("td", call_duration(call));
}

void write_calls(HtmlWriter& html, const Json& calls) {
  if (!calls.is_array() || calls.empty()) return;
  auto table = html.open("table", {{"class", "calls"}});
  heading_row(html, {"tool", "arguments", "result", "duration"});
  auto body = html.open("tbody");
  for (const Json& call : calls)
    write_call(html, call);
}

void write_violations(HtmlWriter& html, const Json& violations) {
  if (!violations.is_array() || violations.empty()) return;
  html.leaf("h3", plural(static_cast<long long>(violations.size()), "protocol violation"));
  auto list = html.open("ul");
  for (const Json& violation : violations)
    html.leaf("li", fmt::format("{} {} at event {}: {}", text_field(violation, "severity"), text_field(violation, "rule"),
                                integer_field(violation, "event"), text_field(violation, "message")));
}

void write_turn(HtmlWriter& html, const Json& turn) {
  auto box = html.open("div", {{"class", "turn"}});
  std::string took = field(turn, "end_ts").is_null() ? "" : ", " + milliseconds(turn, "duration_ms");
  html.leaf("h2", fmt::format("Turn {}: {}{}", integer_field(turn, "turn"), text_field(turn, "outcome"), took));
  html.leaf("div", "user", {{"class", "dim"}});
  html.leaf("pre", text_form(field(turn, "input")));
  write_calls(html, field(turn, "tool_calls"));
  std::string text = text_field(turn, "text");
  if (!text.empty()) {
    html.leaf("div", "agent", {{"class", "dim"}});
    html.leaf("pre", text);
  }
  std::string error = text_field(turn, "error");
  if (!error.empty()) html.leaf("pre", error, {{"class", "why"}});
  write_violations(html, field(turn, "violations"));
}

void write_hooks(HtmlWriter& html, const Json& hooks) {
  if (!hooks.is_array() || hooks.empty()) return;
  html.leaf("h2", "Hooks");
  auto list = html.open("ul");
  for (const Json& hook : hooks) {
    std::string error = text_field(hook, "error");
    html.leaf("li", fmt::format("{}{} ({}){}", true_field(hook, "teardown") ? "teardown: " : "", text_field(hook, "command"),
                                milliseconds(hook, "duration_ms"), error.empty() ? "" : ": " + error));
  }
}

void write_line(HtmlWriter& html, const Json& result) {
  auto summary = html.open("summary", {{"class", "row"}});
  html.leaf("span", text_field(result, "status"));
  html.leaf("span", text_field(result, "name"));
  html.leaf("span", fmt::format("{}:{}", text_field(result, "file"), integer_field(result, "line")), {{"class", "dim"}});
  html.leaf("span", milliseconds(result, "duration_ms"));
}

}  // namespace

void write_html_result(HtmlWriter& html, const Json& result) {
  auto details = html.open("details", {{"class", "result " + text_field(result, "status")}});
  write_line(html, result);
  auto body = html.open("div", {{"class", "body"}});
  html.leaf("div", "id: " + text_field(result, "id"), {{"class", "dim"}});
  std::string error = text_field(result, "error");
  if (!error.empty()) html.leaf("pre", error, {{"class", "why"}});
  write_checks(html, field(result, "checks"));
  for (const Json& turn : field(result, "turns"))
    write_turn(html, turn);
  write_hooks(html, field(result, "hooks"));
}

}  // namespace assay
