#include "run/hooks.h"

#include <fmt/format.h>

#include "base/text.h"

namespace assay {
namespace {

constexpr size_t kShownError = 500;

std::vector<std::string> environment(const Env& env, const Hook& hook) {
  auto variables = env.variables;
  for (const auto& [name, value] : hook.env)
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

std::string failure(const ProcessEnd& end, const Hook& hook, const CancelToken& whole, size_t max_output) {
  switch (end.kind) {
    case ProcessEnd::Kind::kNotStarted: return end.error;
    case ProcessEnd::Kind::kOutputTooLong: return fmt::format("it printed more than {} bytes (hook_output_bytes)", max_output);
    case ProcessEnd::Kind::kSignalled: return fmt::format("ended by signal {}{}", end.code, last_words(end.err));
    case ProcessEnd::Kind::kCancelled:
      return whole.cancelled() ? "cancelled" + last_words(end.err)
                               : fmt::format("timeout after {}{}", format_duration(hook.timeout), last_words(end.err));
    case ProcessEnd::Kind::kExited: return end.code == 0 ? "" : fmt::format("exit code {}{}", end.code, last_words(end.err));
  }
  return "";
}

// Stdout is one JSON object, or nothing.
std::string merge_output(const std::string& out, Variables& variables) {
  if (trim(out).empty()) return {};
  auto value = parse_json(out);
  std::string shown = quote(shorten(trim(out), 120));
  if (!value) return fmt::format("stdout must be one JSON object: {}; it printed {}", value.error().message, shown);
  if (!value->is_object()) return fmt::format("stdout must be one JSON object, not {}: {}", json_type(*value), shown);
  for (auto& [name, item] : value->items())
    variables.insert_or_assign(name, item);
  return {};
}

}  // namespace

Task<HookReport> run_hook(Loop& loop, HookShell& shell, Hook hook, CancelToken token) {
  HookReport report;
  report.command = join(hook.cmd, " ");
  Time start = loop.now();
  CancelToken patience = token.child();
  Deadline deadline(loop, hook.timeout, patience);
  ProcessSpec spec{hook.cmd, environment(shell.env, hook), shell.directory, shell.max_output};
  ProcessEnd end = co_await shell.groups.run(std::move(spec), patience);
  report.error = failure(end, hook, token, shell.max_output);
  if (report.error.empty()) report.error = merge_output(end.out, shell.variables);
  report.ok = report.error.empty();
  report.duration = loop.now() - start;
  if (shell.log && !end.err.empty()) *shell.log += fmt::format("hook {}: stderr:\n{}\n", report.command, end.err);
  co_return report;
}

}  // namespace assay
