#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/demo_files.h"
#include "cli/options.h"
#include "cli/suite_run.h"
#include "load/yaml.h"
#include "serve/script_server.h"

namespace assay {
namespace fs = std::filesystem;
namespace {

struct DemoFlags {
  std::string output = "assay-demo.html";
  bool broken = false;
};

constexpr Option<DemoFlags> kOptions[] = {
    {"output", 'o', "FILE", "report to write (assay-demo.html)",
     [](DemoFlags& f, const std::string& v) { return f.output = v, std::string(); }},
    {"broken", 0, "", "test an agent that misbehaves, to see what failures look like",
     [](DemoFlags& f, const std::string&) { return f.broken = true, std::string(); }},
};

std::string help() {
  return "usage: assay demo [FLAGS]\n\n"
         "Starts the built-in agents on a free port, runs the built-in example suite against them and writes an HTML report.\n"
         "Needs no network and no model.\n\n" +
         options_help<DemoFlags>(kOptions) + "\nexample: assay demo && xdg-open assay-demo.html\n";
}

// The example project, written to a folder that goes when the demo ends.
class Folder {
 public:
  explicit Folder(const Env& env) {
    std::string name = env.variable("TMPDIR").value_or("/tmp") + "/assay-demo-XXXXXX";
    if (mkdtemp(name.data())) path = name;
    for (const auto& file : demo_files())
      std::ofstream(path / file.name) << file.text;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

Result<std::unique_ptr<ScriptServer>> start_agents() {
  for (const auto& file : demo_files()) {
    if (file.name != "agents.yaml") continue;
    auto document = parse_yaml(std::make_shared<Source>(Source{"agents.yaml", std::string(file.text)}));
    if (!document) return tl::unexpected(document.error()[0]);
    Reader reader;
    auto plan = std::make_shared<const ServePlan>(read_serve_plan(reader, document->root));
    if (!reader.ok()) return tl::unexpected(reader.errors()[0]);
    return ScriptServer::start(plan, {});
  }
  return fail(ErrorKind::kInternal, "the binary carries no agents");
}

}  // namespace

int demo_command(Env& env, const std::vector<std::string>& args) {
  DemoFlags flags;
  Redactor secrets;
  auto parsed = parse_args(args, option_names<DemoFlags>(kOptions));
  if (!parsed) return report_mistakes(env, {parsed.error()}, false, secrets);
  if (parsed->help) return env.out->write(help()), kExitPassed;
  if (auto applied = apply_args<DemoFlags>(*parsed, kOptions, flags); !applied)
    return report_mistakes(env, {applied.error()}, false, secrets);
  if (!parsed->positionals.empty())
    return report_mistakes(env, {{ErrorKind::kUsage, "`assay demo` takes no files", {}, "assay run FILE… runs tests"}}, false,
                           secrets);

  auto server = start_agents();
  if (!server) return env.err->write(render_error(server.error())), kExitBroken;
  Folder folder(env);
  if (folder.path.empty()) return env.err->write("error: no temporary folder could be made\n"), kExitBroken;
  env.out->write(
      fmt::format("agents are listening on http://127.0.0.1:{}; running the examples against them\n\n", (*server)->port()));

  fs::path report = (env.cwd / flags.output).lexically_normal();
  Env inside = env;
  inside.cwd = folder.path;
  std::string url = fmt::format("URL=http://127.0.0.1:{}/agents", (*server)->port());
  std::vector<std::string> run = {"--verbose", "--parallel", "4", "-o", report.string(), "--var", url};
  if (flags.broken) run.insert(run.end(), {"--var", "AGENT=shop-broken"});
  int code = run_command(inside, run);
  (*server)->stop();
  if (code == kExitPassed || code == kExitFailed) env.out->write(fmt::format("\nreport: {}\n", visible(report.string())));
  return code;
}

}  // namespace assay
