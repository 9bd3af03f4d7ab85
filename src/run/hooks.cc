#include "run/hooks.h"

#include <fmt/format.h>

#include "base/text.h"

namespace assay {
namespace {

constexpr size_t kShownError = 500;

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> environment(const Env& env, const Pairs& own) {
  auto variables = env.variables;
  for (const auto& [name, value] : own)
    variables.insert_or_assign(name, value);
  std::vector<std::string> out;
  for (const auto& [name, value] : variables)
    out.push_back(name + "=" + value);
  return out;
}

// The end of what it said: the last words are the reason.
std::string last_words(const std::string& text) {
  std::string_view said = trim(text);
  if (said.size() > kShownError) said.remove_prefix(said.size() - kShownError);
  return said.empty() ? "" : ": " + valid_utf8(said);
}

std::string failure(const ProcessEnd& end, Duration timeout, const CancelToken& whole, size_t max_output) {
  switch (end.kind) {
    case ProcessEnd::Kind::kNotStarted: return end.error;
    case ProcessEnd::Kind::kOutputTooLong: return fmt::format("it printed more than {} bytes (hook_output_bytes)", max_output);
    case ProcessEnd::Kind::kSignalled: return fmt::format("ended by signal {}{}", end.code, last_words(end.err));
    case ProcessEnd::Kind::kCancelled:
      return whole.cancelled() ? "cancelled" + last_words(end.err)
                               : fmt::format("timeout after {}{}", format_duration(timeout), last_words(end.err));
    case ProcessEnd::Kind::kExited: return end.code == 0 ? "" : fmt::format("exit code {}{}", end.code, last_words(end.err));
  }
  return "";
}

// Stdout is one JSON object, or nothing.
std::string read_output(const std::string& out, Json& variables) {
  if (trim(out).empty()) return {};
  auto value = parse_json(out);
  std::string shown = quote(shorten(trim(out), 120));
  if (!value) return fmt::format("stdout must be one JSON object: {}; it printed {}", value.error().message, shown);
  if (!value->is_object()) return fmt::format("stdout must be one JSON object, not {}: {}", json_type(*value), shown);
  variables = std::move(*value);
  return {};
}

}  // namespace

Task<HookOutcome> run_hook(Loop& loop, HookShell& shell, Hook hook, CancelToken token) {
  HookOutcome outcome;
  HookReport& report = outcome.report;
  report.command = join(hook.cmd, " ");
  Time start = loop.now();
  CancelToken patience = token.child();
  Deadline deadline(loop, hook.timeout, patience);
  ProcessSpec spec;
  spec.argv = hook.cmd;
  spec.environment = environment(shell.env, hook.env);
  spec.directory = shell.directory;
  spec.max_output = shell.max_output;
  ProcessEnd end = co_await shell.groups.run(std::move(spec), patience);
  report.error = failure(end, hook.timeout, token, shell.max_output);
  if (report.error.empty()) report.error = read_output(end.out, outcome.variables);
  report.ok = report.error.empty();
  report.duration = loop.now() - start;
  if (shell.log && !end.err.empty()) *shell.log += fmt::format("hook {}: stderr:\n{}\n", report.command, end.err);
  co_return outcome;
}

Task<ToolAnswer> run_stub(Loop& loop, HookShell& shell, ToolStub stub, Json arguments, CancelToken token) {
  CancelToken patience = token.child();
  Deadline deadline(loop, stub.timeout, patience);
  ProcessSpec spec;
  spec.argv = stub.cmd;
  spec.environment = environment(shell.env, {});
  spec.directory = shell.directory;
  spec.max_output = shell.max_output;
  spec.input = to_compact(arguments);
  ProcessEnd end = co_await shell.groups.run(std::move(spec), patience);
  ToolAnswer answer;
  std::string broken = failure(end, stub.timeout, token, shell.max_output);
  if (shell.log && !end.err.empty()) *shell.log += fmt::format("tool {}: stderr:\n{}\n", stub.name, end.err);
  if (end.kind == ProcessEnd::Kind::kNotStarted) {
    answer.problem = broken;
    co_return answer;
  }
  answer.answered = true;
  if (!broken.empty()) {
    answer.reply = {broken, broken};
    co_return answer;
  }
  std::string text(trim(end.out));
  auto value = parse_json(text);
  answer.reply.value = value ? std::move(*value) : Json(text);
  co_return answer;
}

}  // namespace assay
