#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/node.h"
#include "model/case.h"
#include "report/reporters.h"

namespace assay {

// What `run` was asked to do. Command line beats config beats default.
struct RunFlags {
  std::vector<std::string> patterns;
  std::optional<std::string> config;
  std::vector<std::string> outputs;
  std::string run;  // pattern over id and name
  size_t parallel = 1;
  Duration timeout = std::chrono::minutes(2);
  bool fail_fast = false;
  bool json = false;
  bool dry_run = false;
  Verbosity verbosity = Verbosity::kNormal;
  std::string color = "auto";
  std::optional<uint64_t> seed;
  Variables variables;
  std::vector<std::string> secrets;  // names of environment variables
  std::optional<std::string> record;  // directories of tapes
  std::optional<std::string> replay;
};

// One flag: the row parses, explains itself in --help, and may be set in the config by its long name.
template <class Flags>
struct Option {
  std::string_view name;   // long, without dashes
  char letter;             // short, or 0
  std::string_view value;  // what it takes, or empty: a switch
  std::string_view help;
  // Empty on success, else what is wrong with the value ("on" for a switch).
  std::string (*set)(Flags&, const std::string& value);
  enum Where { kEverywhere, kCommandLine } where = kEverywhere;
};

std::span<const Option<RunFlags>> run_options();

// Everything a command line held, or what is wrong with it.
struct ParsedArgs {
  std::vector<std::pair<std::string, std::string>> options;  // long name, value; in order
  std::vector<std::string> positionals;
  bool help = false;
};

struct OptionNames {
  std::string name;
  char letter;
  bool takes_value;
};
Result<ParsedArgs> parse_args(const std::vector<std::string>& args, const std::vector<OptionNames>& known);

template <class Flags>
std::vector<OptionNames> option_names(std::span<const Option<Flags>> options) {
  std::vector<OptionNames> out;
  for (const auto& option : options)
    out.push_back({std::string(option.name), option.letter, !option.value.empty()});
  return out;
}

// Applies what was parsed; the first value that is wrong is an error.
template <class Flags>
Result<void> apply_args(const ParsedArgs& args, std::span<const Option<Flags>> options, Flags& flags) {
  for (const auto& [name, value] : args.options)
    for (const auto& option : options)
      if (option.name == name)
        if (std::string wrong = option.set(flags, value); !wrong.empty())
          return fail(ErrorKind::kUsage, "--" + name + ": " + wrong);
  return {};
}

// "  -o, --output F     report file, repeatable" for each row.
std::string render_options(const std::vector<std::pair<std::string, std::string>>& rows);
template <class Flags>
std::string options_help(std::span<const Option<Flags>> options) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& o : options) {
    std::string left = o.letter ? std::string("-") + o.letter + ", " : "    ";
    left += "--" + std::string(o.name) + (o.value.empty() ? "" : " " + std::string(o.value));
    rows.emplace_back(left, o.help);
  }
  return render_options(rows);
}

// auto, always or never; else what is wrong with it.
std::string set_color_word(std::string& out, const std::string& value);

// Long flags of `run` set in the config, for those the command line left alone.
Errors apply_config_flags(const std::vector<std::pair<std::string, Node>>& given, const ParsedArgs& args, RunFlags& flags);
std::vector<std::string> config_flag_names();

}  // namespace assay
