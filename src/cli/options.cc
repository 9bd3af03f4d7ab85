#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "base/reader.h"
#include "base/text.h"

namespace assay {
namespace {

std::string set_count(const std::string& value, size_t& out) {
  auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), out);
  bool whole = ec == std::errc() && end == value.data() + value.size() && out > 0 && out <= 1'000'000;
  return whole ? "" : fmt::format("{} is not a whole number from 1 to 1000000", quote(value));
}

std::string set_parallel(RunFlags& f, const std::string& value) {
  constexpr size_t kAuto = 64;
  if (value == "auto") return f.parallel = kAuto, "";
  return set_count(value, f.parallel);
}

std::string set_timeout(RunFlags& f, const std::string& value) {
  auto parsed = parse_duration(value);
  if (!parsed.value) return parsed.error;
  if (*parsed.value <= Duration{}) return "a timeout must be above zero";
  f.timeout = *parsed.value;
  return "";
}

std::string set_variable(RunFlags& f, const std::string& value) {
  size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0) return fmt::format("{} is not NAME=VALUE", quote(value));
  f.variables[value.substr(0, equals)] = value.substr(equals + 1);
  return "";
}

std::string set_seed(RunFlags& f, const std::string& value) {
  uint64_t seed = 0;
  auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), seed);
  if (ec != std::errc() || end != value.data() + value.size()) return fmt::format("{} is not a whole number", quote(value));
  f.seed = seed;
  return "";
}

std::string set_switch(bool& out, const std::string& value) {
  if (value != "true" && value != "false") return fmt::format("{} is not true or false", quote(value));
  out = value == "true";
  return "";
}

std::string set_verbosity(RunFlags& f, const std::string& value, Verbosity verbosity) {
  bool on = false;
  std::string wrong = set_switch(on, value);
  if (on) f.verbosity = verbosity;
  return wrong;
}

constexpr auto kCommandLine = Option<RunFlags>::kCommandLine;

// Sorted by need: this is the order of --help.
constexpr Option<RunFlags> kRunOptions[] = {
    {"config", 'c', "PATH",
     "config file (default: assay.config.yaml, aguitest.config.yaml or ananke.config.yaml, searched upward)",
     [](RunFlags& f, const std::string& v) { return f.config = v, std::string(); }, kCommandLine},
    {"run", 0, "RE", "only cases whose id or name matches",
     [](RunFlags& f, const std::string& v) { return f.run = v, std::string(); }},
    {"output", 'o', "FILE", "report file, repeatable; format by extension (.json, .jsonl, .html)",
     [](RunFlags& f, const std::string& v) { return f.outputs.push_back(v), std::string(); }},
    {"record", 0, "DIR", "write what the agent, hooks and tools said to tapes",
     [](RunFlags& f, const std::string& v) { return f.record = v, std::string(v.empty() ? "it needs a directory" : ""); }},
    {"replay", 0, "DIR", "play tapes instead: no agent, no hook, no network",
     [](RunFlags& f, const std::string& v) { return f.replay = v, std::string(v.empty() ? "it needs a directory" : ""); }},
    {"parallel", 0, "N", "cases at a time (1; auto = 64)", set_parallel},
    {"timeout", 0, "D", "per case, covers hooks and turns (2m)", set_timeout},
    {"fail-fast", 0, "", "stop after the first case that did not pass",
     [](RunFlags& f, const std::string& v) { return set_switch(f.fail_fast, v); }},
    {"var", 0, "K=V", "sets a variable, repeatable", set_variable, kCommandLine},
    {"dry-run", 'd', "", "load, validate and list; run nothing",
     [](RunFlags& f, const std::string& v) { return set_switch(f.dry_run, v); }, kCommandLine},
    {"json", 0, "", "machine output on stdout, human text off",
     [](RunFlags& f, const std::string& v) { return set_switch(f.json, v); }},
    {"verbose", 'v', "", "show turns, tool calls and text",
     [](RunFlags& f, const std::string& v) { return set_verbosity(f, v, Verbosity::kVerbose); }},
    {"debug", 0, "", "show wire traffic and hooks' stderr too",
     [](RunFlags& f, const std::string& v) { return set_verbosity(f, v, Verbosity::kDebug); }},
    {"quiet", 'q', "", "failures and summary only",
     [](RunFlags& f, const std::string& v) { return set_verbosity(f, v, Verbosity::kQuiet); }},
    {"color", 0, "WHEN", "auto, always or never (auto: terminals; NO_COLOR and CI are respected)",
     [](RunFlags& f, const std::string& v) { return set_color_word(f.color, v); }},
    {"seed", 0, "N", "seed of ids and jitter", set_seed},
    {"secret", 0, "NAME", "environment variable whose value is never shown, repeatable",
     [](RunFlags& f, const std::string& v) { return f.secrets.push_back(v), std::string(); }},
};

// CLI11 says "The following argument was not expected: --x"; we say it with the nearest flag.
std::string unknown_flag(const std::string& flag, const std::vector<OptionNames>& known) {
  std::vector<std::string> names;
  for (const auto& option : known)
    names.push_back("--" + option.name);
  return suggestion(flag.substr(0, flag.find('=')), names, "flags");
}

}  // namespace

std::span<const Option<RunFlags>> run_options() { return kRunOptions; }

Result<ParsedArgs> parse_args(const std::vector<std::string>& args, const std::vector<OptionNames>& known) {
  ParsedArgs parsed;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_flag("-h,--help", parsed.help);
  for (const auto& option : known) {
    std::string names = option.letter ? fmt::format("-{},--{}", option.letter, option.name) : "--" + option.name;
    auto take = [&parsed, name = option.name](const std::string& value) { parsed.options.emplace_back(name, value); };
    if (option.takes_value)
      app.add_option_function<std::vector<std::string>>(names,
                                                        [take](const auto& values) {
                                                          for (const auto& v : values)
                                                            take(v);
                                                        })
          ->allow_extra_args(false);
    else
      app.add_flag_callback(names, [take] { take("true"); });
  }
  try {
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& e) {
    return fail(ErrorKind::kUsage, e.what());
  }
  bool only_positionals = false;  // behind "--"
  for (const auto& extra : app.remaining()) {
    if (extra == "--" && !only_positionals) {
      only_positionals = true;
      continue;
    }
    if (extra.size() > 1 && extra[0] == '-' && !only_positionals)
      return fail(ErrorKind::kUsage, fmt::format("unknown flag {}", visible(extra)), unknown_flag(extra, known));
    parsed.positionals.push_back(extra);
  }
  return parsed;
}

std::string set_color_word(std::string& out, const std::string& value) {
  if (value != "auto" && value != "always" && value != "never")
    return fmt::format("{} is not auto, always or never", quote(value));
  out = value;
  return "";
}

std::string render_options(const std::vector<std::pair<std::string, std::string>>& rows) {
  size_t width = 0;
  for (const auto& [left, help] : rows)
    width = std::max(width, left.size());
  std::string out;
  for (const auto& [left, help] : rows)
    out += fmt::format("  {:<{}}  {}\n", left, width, help);
  return out;
}

std::vector<std::string> config_flag_names() {
  std::vector<std::string> names;
  for (const auto& option : kRunOptions)
    if (option.where == Option<RunFlags>::kEverywhere) names.emplace_back(option.name);
  return names;
}

Errors apply_config_flags(const std::vector<std::pair<std::string, Node>>& given, const ParsedArgs& args, RunFlags& flags) {
  Reader reader;
  for (const auto& [name, node] : given) {
    auto same = [&name = name](const auto& option) { return option.first == name; };
    if (std::any_of(args.options.begin(), args.options.end(), same)) continue;
    const auto* option =
        std::find_if(std::begin(kRunOptions), std::end(kRunOptions), [&name = name](const auto& o) { return o.name == name; });
    for (const auto& value : reader.text_or_texts(node, fmt::format("`{}`", name)))
      if (std::string wrong = option->set(flags, value); !wrong.empty()) reader.error(node, fmt::format("`{}`: {}", name, wrong));
  }
  return reader.take_errors();
}

}  // namespace assay
