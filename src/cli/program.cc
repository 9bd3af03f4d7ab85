#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"

namespace assay {
namespace {

struct Command {
  std::string_view name;
  std::string_view help;
  int (*run)(Env&, const std::vector<std::string>&);
};
constexpr std::array<Command, 4> kCommands = {{
    {"run", "run the project's test suite", run_command},
    {"demo", "run the built-in example suite against the built-in agents", demo_command},
    {"conform", "probe an AG-UI endpoint, or judge a recorded stream, by the protocol", conform_command},
    {"serve", "serve scripted agents over AG-UI", serve_command},
}};

std::string overview() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& command : kCommands)
    rows.emplace_back(command.name, command.help);
  return "assay tests tool-using AI agents.\n\nusage: assay COMMAND [FLAGS]\n\n" + render_options(rows) +
         "\n`assay COMMAND --help` tells more. `assay --version` prints the version.\n\nexample: assay run "
         "tests/checkout.test.yaml --json\n";
}

}  // namespace

int run_program(Env& env) {
  if (env.args.empty()) return env.err->write(overview()), kExitUsage;
  const std::string& first = env.args[0];
  if (first == "--version" || first == "-V") return env.out->write("assay " ASSAY_VERSION "\n"), kExitPassed;
  if (first == "--help" || first == "-h" || first == "help") return env.out->write(overview()), kExitPassed;
  for (const auto& command : kCommands)
    if (command.name == first) return command.run(env, {env.args.begin() + 1, env.args.end()});
  std::vector<std::string> names;
  for (const auto& command : kCommands)
    names.emplace_back(command.name);
  env.err->write(render_error(
      {ErrorKind::kUsage, fmt::format("unknown command {}", quote(first)), {}, suggestion(first, names, "commands")}));
  return kExitUsage;
}

}  // namespace assay
