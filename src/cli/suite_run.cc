#include "cli/suite_run.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "base/text.h"
#include "cli/commands.h"
#include "report/fanout.h"
#include "report/reporters.h"
#include "run/launch.h"
#include "run/runner.h"

namespace assay {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);
constexpr auto kPatience = std::chrono::microseconds(300);
constexpr int kBurst = 32;
constexpr int kSignalBase = 128;

ConsoleOptions console_options(const Env& env, const RunFlags& flags) {
  bool progress =
      env.out->is_terminal() && env.variable("CI").value_or("").empty() && env.variable("TERM").value_or("") != "dumb";
  return {flags.verbosity, use_color(env, flags.color), progress};
}

Result<void> add_reporters(Env& env, const RunFlags& flags, const Redactor& secrets, ReportHub& hub) {
  if (flags.json)
    hub.add(make_run_json_reporter(*env.out, secrets));
  else
    hub.add(make_console_reporter(*env.out, *env.clock, secrets, console_options(env, flags)));
  for (const auto& path : flags.outputs) {
    auto reporter = make_file_reporter((env.cwd / path).lexically_normal().string(), secrets);
    if (!reporter) return tl::unexpected(reporter.error());
    hub.add(std::move(*reporter));
  }
  return {};
}

RunInfo run_info(const RunFlags& flags, const std::vector<const Case*>& cases, Time now) {
  RunInfo info;
  info.total = cases.size();
  info.agent_id = cases.empty() ? "" : cases[0]->plan->agent.id;
  info.environment = {{"user_id", "test-user"}, {"team_id", "test-team"}, {"locale", "en-us"}};
  info.options = {{"parallel", flags.parallel}, {"timeout", format_duration(flags.timeout)}, {"fail_fast", flags.fail_fast}};
  info.started = now;
  return info;
}

std::optional<TapeFolder> tape_folder(const Env& env, const std::optional<std::string>& path) {
  if (!path) return std::nullopt;
  return TapeFolder{*path, (env.cwd / *path).lexically_normal().string()};
}

// The application of the config, started where a case will run; null: there is nothing to start.
Result<std::unique_ptr<Launch>> start_application(Env& env, const RunFlags& flags, const Suite& suite,
                                                  const std::vector<const Case*>& cases, const Redactor& secrets) {
  const auto& spec = suite.config().launch;
  bool any_runs = std::any_of(cases.begin(), cases.end(), [](const Case* c) { return c->skip.empty(); });
  if (!spec || !any_runs || flags.replay) return nullptr;
  LaunchLog log;
  if (flags.verbosity == Verbosity::kDebug)
    log = [&](std::string_view line) { env.err->write("launch | " + visible(secrets.apply(line)) + "\n"); };
  return Launch::start(*spec, env, secrets, log);
}

// The reporting side: the one thread that prints and writes. Answers what broke the loop, if anything did.
std::string report_until_done(EventQueue& queue, ReportHub& hub, const Clock& clock, Launch* app) {
  for (int burst = 0;; ++burst) {
    // Where results come faster than they can be told one by one, a little patience saves a wake-up for each.
    if (burst > kBurst && queue.empty()) std::this_thread::sleep_for(kPatience);
    auto event = queue.pop(kTick);
    if (!event) burst = 0;
    if (event)
      if (auto* ended = std::get_if<LoopEnded>(&*event)) return ended->failure;
    if (event)
      if (auto* started = std::get_if<CaseStarted>(&*event)) hub.case_started(started->index);
    if (event)
      if (auto* result = std::get_if<CaseResult>(&*event)) {
        if (app) app->explain(*result);
        hub.case_finished(*result);
      }
    hub.tick(clock.now());
  }
}

int exit_code(const RunSummary& summary, const Errors& unwritten, int signal) {
  if (signal != 0) return kSignalBase + signal;
  if (!unwritten.empty()) return kExitBroken;
  return summary.not_passed() > 0 ? kExitFailed : kExitPassed;
}

// The mistakes of a file in the order of its lines.
Errors by_line(Errors errors) {
  auto before = [](const Error& a, const Error& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  };
  for (auto from = errors.begin(); from != errors.end();) {
    auto to = std::find_if(from, errors.end(), [&](const Error& e) { return e.place.file != from->place.file; });
    std::stable_sort(from, to, before);
    from = to;
  }
  return errors;
}

}  // namespace

bool use_color(const Env& env, std::string_view word) {
  if (word != "auto") return word == "always";
  bool unwanted = !env.variable("NO_COLOR").value_or("").empty() || !env.variable("CI").value_or("").empty();
  return env.out->is_terminal() && !unwanted;
}

int report_mistakes(Env& env, const Errors& errors, bool json, const Redactor& secrets) {
  std::string text;
  for (const auto& error : by_line(errors))
    text += render_error(error);
  text = secrets.apply(text);
  if (json)
    env.out->write(to_compact({{"error", text}}) + "\n");
  else
    env.err->write(text);
  return kExitUsage;
}

int run_and_report(Env& env, const RunFlags& flags, const Suite& suite, std::vector<const Case*> cases, Redactor& secrets) {
  ReportHub hub(*env.clock, secrets, env.variable("TMPDIR").value_or("/tmp"));
  if (auto added = add_reporters(env, flags, secrets, hub); !added)
    return report_mistakes(env, {added.error()}, flags.json, secrets);

  auto app = start_application(env, flags, suite, cases, secrets);
  if (!app) return report_mistakes(env, {app.error()}, flags.json, secrets);

  EventQueue queue;
  RunOptions options{flags.parallel,
                     flags.timeout,
                     flags.fail_fast,
                     flags.verbosity == Verbosity::kDebug,
                     flags.seed.value_or(env.entropy),
                     tape_folder(env, flags.record),
                     tape_folder(env, flags.replay),
                     &secrets};
  hub.start(run_info(flags, cases, env.clock->now()));
  Runner runner(suite, std::move(cases), options, env, queue, [&](int signal) {
    if (*app) (*app)->kill();
    _exit(kSignalBase + signal);
  });
  runner.start();
  std::string broken = report_until_done(queue, hub, *env.clock, app->get());

  int signal = runner.interrupt_signal();
  Errors unwritten = hub.finish(signal == 0 ? "" : fmt::format("interrupted by {}", signal == SIGINT ? "SIGINT" : "SIGTERM"));
  if (!broken.empty()) unwritten.push_back({ErrorKind::kInternal, "internal error: " + broken, {}, {}});
  for (const auto& error : unwritten)
    env.err->write(secrets.apply(render_error(error)));
  const RunSummary& summary = hub.summary();
  if (summary.total > 0 && summary.skipped == summary.total && signal == 0) env.err->write("warning: every case was skipped\n");
  return exit_code(summary, unwritten, signal);
}

}  // namespace assay
