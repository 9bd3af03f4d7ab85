#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <charconv>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/suite_run.h"
#include "load/config.h"
#include "load/yaml.h"
#include "serve/script_server.h"

namespace assay {
namespace {

struct ServeFlags {
  std::string host = "127.0.0.1";
  int port = 0;
  uint64_t seed = 0;
  bool verbose = false;
};

std::string set_port(ServeFlags& f, const std::string& value) {
  auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), f.port);
  bool ok = ec == std::errc() && end == value.data() + value.size() && f.port >= 0 && f.port <= 65535;
  return ok ? "" : fmt::format("{} is not a port from 0 to 65535", quote(value));
}

std::string set_seed(ServeFlags& f, const std::string& value) {
  auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), f.seed);
  bool ok = ec == std::errc() && end == value.data() + value.size();
  return ok ? "" : fmt::format("{} is not a whole number, zero or more", quote(value));
}

constexpr Option<ServeFlags> kOptions[] = {
    {"port", 'p', "P", "port to listen on (0: a free one)", set_port},
    {"host", 0, "H", "address to listen on (127.0.0.1)",
     [](ServeFlags& f, const std::string& v) { return f.host = v, std::string(); }},
    {"seed", 0, "N", "seed of everything that is random (0)", set_seed},
    {"verbose", 'v', "", "one line on stderr for each request",
     [](ServeFlags& f, const std::string&) { return f.verbose = true, std::string(); }},
};

std::string help() {
  return "usage: assay serve FILE [FLAGS]\n\n"
         "Serves the scripted agents of a YAML file over AG-UI, each at /agents/NAME, until it is interrupted.\n"
         "The first line on stdout says where: listening on http://127.0.0.1:PORT\n\n" +
         options_help<ServeFlags>(kOptions) + "\nexample: assay serve agents.yaml --port 8080\n";
}

tl::expected<std::shared_ptr<const ServePlan>, Errors> load_plan(const Env& env, const std::string& path) {
  auto source = read_source((env.cwd / path).lexically_normal(), env.cwd);
  if (!source) return tl::unexpected(Errors{source.error()});
  auto document = parse_yaml(*source);
  if (!document) return tl::unexpected(document.error());
  Reader reader;
  auto plan = read_serve_plan(reader, document->root);
  if (!reader.ok()) return tl::unexpected(reader.take_errors());
  return std::make_shared<const ServePlan>(std::move(plan));
}

// Until SIGINT or SIGTERM.
int wait_for_signal(const Env& env) {
  pollfd waiting{env.signal_fd, POLLIN, 0};
  while (poll(&waiting, 1, -1) < 0) {
  }
  char number = 0;
  return ::read(env.signal_fd, &number, 1) == 1 ? number : 0;
}

}  // namespace

int serve_command(Env& env, const std::vector<std::string>& args) {
  ServeFlags flags;
  Redactor secrets;
  auto mistakes = [&](const Errors& errors) { return report_mistakes(env, errors, false, secrets); };
  auto parsed = parse_args(args, option_names<ServeFlags>(kOptions));
  if (!parsed) return mistakes({parsed.error()});
  if (parsed->help) return env.out->write(help()), kExitPassed;
  if (auto applied = apply_args<ServeFlags>(*parsed, kOptions, flags); !applied) return mistakes({applied.error()});
  if (parsed->positionals.size() != 1)
    return mistakes({{ErrorKind::kUsage, "`assay serve` takes one file", {}, "assay serve agents.yaml --port 8080"}});

  auto plan = load_plan(env, parsed->positionals[0]);
  if (!plan) return mistakes(plan.error());
  ServeOptions options{flags.host, flags.port, flags.seed, {}};
  if (flags.verbose) options.log = [&env](std::string_view line) { env.err->write(visible(line) + "\n"); };
  auto server = ScriptServer::start(*plan, options);
  if (!server) return env.err->write(render_error(server.error())), kExitBroken;
  env.out->write(fmt::format("listening on http://{}:{}\n", flags.host, (*server)->port()));
  wait_for_signal(env);
  (*server)->stop();
  return kExitPassed;
}

}  // namespace assay
