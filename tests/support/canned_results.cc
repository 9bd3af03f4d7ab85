#include "support/canned_results.h"

namespace assay::testing {
namespace {

CaseResult canned_case(size_t index, std::string id, std::string name, Status status) {
  CaseResult result;
  result.index = index;
  result.id = "tests/" + id;
  result.name = std::move(name);
  result.file = result.id + ".test.yaml";
  result.status = status;
  return result;
}

ToolCall canned_call(std::string id, std::string name, int64_t start_ms) {
  ToolCall call;
  call.id = std::move(id);
  call.name = std::move(name);
  call.start = canned_time(start_ms);
  call.end = canned_time(start_ms + 1);
  return call;
}

Turn canned_turn(int number, Json input, int64_t start_ms, int64_t end_ms) {
  Turn turn;
  turn.number = number;
  turn.input = std::move(input);
  turn.start = canned_time(start_ms);
  turn.end = canned_time(end_ms);
  return turn;
}

}  // namespace

Time canned_time(int64_t ms) { return Time(std::chrono::milliseconds(1794772770400 + ms)); }

void add_canned_secret(Redactor& redactor) { redactor.add(kCannedSecret); }

RunInfo canned_info() {
  RunInfo info;
  info.total = 6;
  info.agent_id = "shop";
  info.environment = {{"user_id", "test-user"}, {"team_id", "test-team"}, {"locale", "en-us"}};
  info.options = {{"parallel", 1}, {"header", "Bearer " + std::string(kCannedSecret)}};
  info.started = canned_time(0);
  return info;
}

CaseResult canned_passed() {
  CaseResult result = canned_case(0, "greeting", "greets and remembers", Status::kPassed);
  result.tags = {"smoke"};
  result.duration = std::chrono::microseconds(350'400);
  result.messages_count = 4;
  Turn first = canned_turn(1, "Hello", 0, 120);
  first.messages = {{"m1", "Hi."}, {"m2", "What can I do?"}};
  first.usage = Usage{10, 5, 15};
  Turn second = canned_turn(2, Json::array({{{"type", "text"}, {"text", "Remember me"}}}), 130, 350);
  ToolCall call = canned_call("c1", "remember", 140);
  call.arguments = {{"who", "me"}, {"times", 1.0}};
  call.result = Json("stored");
  call.result_parts = Json::array({{{"type", "text"}, {"text", "stored"}}});
  call.result_at = canned_time(150);
  second.tool_calls = {call};
  second.messages = {{"m3", "Done."}};
  second.state = Json{{"user", "me"}};
  second.usage = Usage{20, {}, {}};
  result.transcript.turns = {first, second};
  result.checks = {
      {.type = "text.contains",
       .name = "",
       .expected = "Hi",
       .actual = "Hi.\nWhat can I do?",
       .message = "text contains \"Hi\"",
       .turn = 1,
       .source = {}},
      {.type = "text.matches",
       .name = "polite",
       .passed = false,
       .optional = true,
       .expected = "please",
       .actual = nullptr,
       .message = "text must match \"please\": it does not",
       .turn = 2,
       .source = {}},
  };
  result.hooks = {{.command = "seed-db --small", .error = "", .duration = std::chrono::milliseconds(42)}};
  return result;
}

CaseResult canned_failed() {
  CaseResult result = canned_case(1, "checkout", "checkout flow", Status::kFailed);
  result.error = "[turn 1] tool \"get_shipping_options\" must be called after \"validate_cart\": it was called before";
  result.duration = std::chrono::milliseconds(212);
  result.messages_count = 4;
  Turn turn = canned_turn(1, "I want to checkout", 400, 612);
  ToolCall options = canned_call("c1", "get_shipping_options", 431);
  options.result = Json::array({"std", "express"});
  options.result_at = canned_time(440);
  ToolCall validate = canned_call("c2", "validate_cart", 441);
  validate.result = Json{{"ok", true}};
  validate.result_at = canned_time(450);
  turn.tool_calls = {options, validate};
  turn.messages = {{"m1", "Done."}};
  turn.violations = {
      {"unknown-field", Severity::kWarning, 9, canned_time(610), "RUN_FINISHED has the unknown field finishReason"}};
  result.transcript.turns = {turn};
  result.checks = {{.type = "tools.require",
                    .name = "",
                    .passed = false,
                    .expected = "\"get_shipping_options\" after \"validate_cart\"",
                    .actual = "called before",
                    .message = "tool \"get_shipping_options\" must be called after \"validate_cart\": it was called before",
                    .turn = 1,
                    .source = {result.file, 12, 13, 5, "          - { after: validate_cart, name: get_shipping_options }"}}};
  return result;
}

CaseResult canned_error() {
  CaseResult result = canned_case(2, "broken", "agent breaks", Status::kError);
  result.error = "[turn 1] run_error: out of tokens";
  result.duration = std::chrono::milliseconds(1500);
  Turn turn = canned_turn(1, "Hello", 700, 2100);
  turn.outcome = Outcome::kRunError;
  turn.error = "out of tokens";
  ToolCall call = canned_call("c1", "search", 800);
  call.arguments_text = "{\"q\": ";
  call.error = "bad arguments";
  turn.tool_calls = {call};
  result.transcript.turns = {turn};
  result.hooks = {{.command = "stop-db",
                   .teardown = true,
                   .ok = false,
                   .error = "exit code 3\nno such database",
                   .duration = std::chrono::milliseconds(7)}};
  return result;
}

CaseResult canned_timeout() {
  CaseResult result = canned_case(3, "slow", "never answers", Status::kTimeout);
  result.error = "timeout after 30s";
  result.duration = std::chrono::seconds(30);
  Turn turn = canned_turn(1, "Hello", 2200, 0);
  turn.end = kNoTime;
  turn.outcome = Outcome::kTimeout;
  turn.error = "timeout after 30s";
  turn.tool_calls = {canned_call("c1", "wait", 2300)};
  result.transcript.turns = {turn};
  return result;
}

CaseResult canned_skipped() {
  CaseResult result = canned_case(4, "later", "not yet", Status::kSkipped);
  result.error = "needs the new API";
  return result;
}

CaseResult canned_hostile() {
  std::string secret(kCannedSecret);
  std::string nasty = "\x1b[2J\x1b]0;owned\x07<script>alert('x')</script>\"&\r\xe2\x80\xae" + secret + "\xff]]>\n| end";
  CaseResult result = canned_case(5, "hostile", "<b>\x1b[31mhostile</b> " + secret, Status::kFailed);
  result.error = "[turn 1] text must not match: " + nasty;
  result.tags = {nasty};
  result.duration = std::chrono::milliseconds(5);
  Turn turn = canned_turn(1, "token=" + secret, 2500, 2505);
  ToolCall call = canned_call("\x1b[1m", "</td>" + nasty, 2501);
  call.arguments = {{"</pre>", nasty}, {"n", 7}};
  call.result = Json(nasty);
  turn.tool_calls = {call};
  turn.messages = {{"m1", nasty}};
  turn.violations = {{"rule\x1b[0m", Severity::kError, 0, kNoTime, nasty}};
  result.transcript.turns = {turn};
  result.checks = {{.type = "text.not_matches",
                    .name = nasty,
                    .passed = false,
                    .expected = nasty,
                    .actual = nasty,
                    .message = nasty,
                    .turn = 1,
                    .source = {result.file, 3, 5, 4, "    not: \x1b[31m" + secret}}};
  result.hooks = {{.command = "curl -H " + nasty, .ok = false, .error = nasty, .duration = std::chrono::milliseconds(1)}};
  result.log = "> POST /\n> Authorization: Bearer " + secret + "\n" + nasty;
  return result;
}

std::vector<CaseResult> canned_results() {
  return {canned_passed(), canned_failed(), canned_error(), canned_timeout(), canned_skipped(), canned_hostile()};
}

}  // namespace assay::testing
