#include <fmt/format.h>

#include "base/text.h"
#include "check/pattern.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/suite_run.h"
#include "load/config.h"
#include "load/discover.h"
#include "load/suite.h"

namespace assay {
namespace {

std::string help() {
  return "usage: assay run [FLAGS] [PATTERN…]\n\n"
         "Runs the project's suite. Patterns are files, directories or globs (**);\n"
         "default: **/*.test.yaml and **/*.test.yml below the config's directory.\n\n" +
         options_help<RunFlags>(run_options()) +
         "\nexit codes: 0 nothing failed, 1 a case did not pass, 2 something written is wrong and nothing was run,\n"
         "            3 a report could not be written, 130/143 interrupted\n"
         "\nexample: assay run tests --parallel 8 -o report.json -o report.html\n";
}

// The cases that --run leaves; an expression that is wrong or matches nothing is a mistake.
Result<std::vector<const Case*>> select(const Suite& suite, const std::string& expression) {
  std::vector<const Case*> out;
  if (expression.empty()) {
    for (const auto& c : suite.cases())
      out.push_back(&c);
    return out;
  }
  auto pattern = Pattern::compile(expression);
  if (!pattern) return fail(ErrorKind::kUsage, fmt::format("--run: {}", pattern.error().message));
  for (const auto& c : suite.cases())
    if (pattern->search(c.id) == Pattern::Match::kYes || pattern->search(c.name) == Pattern::Match::kYes) out.push_back(&c);
  if (out.empty())
    return fail(ErrorKind::kUsage, fmt::format("--run {} matches none of {}", quote(expression),
                                               plural(static_cast<long long>(suite.cases().size()), "case")));
  return out;
}

int list(Env& env, const RunFlags& flags, const std::vector<const Case*>& cases) {
  Json tests = Json::array();
  for (const Case* c : cases) {
    if (flags.json)
      tests.push_back({{"id", c->id}, {"name", c->name}, {"file", c->file}, {"turns", c->plan->turns.size()}});
    else
      env.out->write(fmt::format("{}  {}  {} ({}{})\n", visible(c->id), visible(c->name), visible(c->file),
                                 plural(static_cast<long long>(c->plan->turns.size()), "turn"),
                                 c->skip.empty() ? "" : ", skipped: " + visible(c->skip)));
  }
  if (flags.json)
    env.out->write(to_compact({{"tests", tests}, {"total", cases.size()}}) + "\n");
  else
    env.out->write(fmt::format("\n{}, nothing was run\n", plural(static_cast<long long>(cases.size()), "case")));
  return kExitPassed;
}

std::vector<std::filesystem::path> tape_folders(const Env& env, const RunFlags& flags) {
  std::vector<std::filesystem::path> out;
  for (const auto& folder : {flags.record, flags.replay})
    if (folder) out.push_back((env.cwd / *folder).lexically_normal());
  return out;
}

// The folder of the tapes is there, or can be made.
Result<void> ready_tapes(Env& env, const RunFlags& flags) {
  if (flags.record && flags.replay) return fail(ErrorKind::kUsage, "--record and --replay cannot be used together");
  std::error_code ec;
  if (flags.replay) {
    std::filesystem::directory_iterator readable(env.cwd / *flags.replay, ec);
    if (ec) return fail(ErrorKind::kUsage, fmt::format("--replay: cannot read {}: {}", quote(*flags.replay), ec.message()));
    env.unset = "***";  // what a secret looks like on a tape
  }
  if (flags.record) {
    std::filesystem::create_directories(env.cwd / *flags.record, ec);
    if (ec) return fail(ErrorKind::kUsage, fmt::format("--record: cannot make {}: {}", quote(*flags.record), ec.message()));
  }
  return {};
}

}  // namespace

int run_command(Env& env, const std::vector<std::string>& args) {
  Redactor secrets;
  RunFlags flags;
  flags.json = std::find(args.begin(), args.end(), "--json") != args.end();  // mistakes in the other flags are JSON too
  auto mistakes = [&](Errors errors) { return report_mistakes(env, errors, flags.json, secrets); };

  auto parsed = parse_args(args, option_names(run_options()));
  if (!parsed) return mistakes({parsed.error()});
  if (parsed->help) return env.out->write(help()), kExitPassed;
  if (auto applied = apply_args(*parsed, run_options(), flags); !applied) return mistakes({applied.error()});
  flags.patterns = parsed->positionals;

  if (auto ready = ready_tapes(env, flags); !ready) return mistakes({ready.error()});
  auto config = load_config({&env, &secrets, &flags.variables, flags.config, config_flag_names()});
  if (!config) return mistakes(config.error());
  if (Errors errors = apply_config_flags(config->flags, *parsed, flags); !errors.empty()) return mistakes(errors);
  for (const auto& name : flags.secrets)
    secrets.add(env.variable(name).value_or(""));

  if (auto ready = ready_tapes(env, flags); !ready) return mistakes({ready.error()});
  auto files = discover(flags.patterns, {env.cwd, config->directory, tape_folders(env, flags)});
  if (!files) return mistakes(files.error());
  Suite suite(std::move(*config), env, secrets);
  if (Errors errors = suite.load(*files, flags.variables); !errors.empty()) return mistakes(errors);
  auto cases = select(suite, flags.run);
  if (!cases) return mistakes({cases.error()});

  if (flags.dry_run) return list(env, flags, *cases);
  return run_and_report(env, flags, suite, std::move(*cases), secrets);
}

}  // namespace assay
