#include "cli/conform.h"

#include <fmt/format.h>

#include "agent/conformance.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/suite_run.h"

namespace assay {
namespace {

std::string set_format(ConformFlags& f, const std::string& value) {
  if (value != "sse" && value != "jsonl") return fmt::format("{} is not sse or jsonl", quote(value));
  f.format = value;
  return "";
}

// Sorted by need: this is the order of --help.
constexpr Option<ConformFlags> kOptions[] = {
    {"format", 0, "F", "of a file: sse or jsonl (by its name: .jsonl and .ndjson hold one event per line)", set_format},
    {"json", 0, "", "machine output on stdout, human text off",
     [](ConformFlags& f, const std::string&) { return f.json = true, std::string(); }},
    {"rules", 0, "", "print the rules that are judged by, and do nothing else",
     [](ConformFlags& f, const std::string&) { return f.rules = true, std::string(); }},
    {"color", 0, "WHEN", "auto, always or never (auto: terminals; NO_COLOR and CI are respected)",
     [](ConformFlags& f, const std::string& v) { return set_color_word(f.color, v); }},
};

std::string help() {
  return "usage: assay conform FILE [FLAGS]\n\n"
         "Judges a recorded stream by the rules of AG-UI 1.1 and tells what it holds. FILE has the bytes of a response\n"
         "(server-sent events), or one event per line; - is standard input.\n\n" +
         options_help<ConformFlags>(kOptions) +
         "\nexit codes: 0 no rule of severity error was broken, 1 one was, 2 something written is wrong\n"
         "\nexample: assay conform stream.sse --json\n";
}

int print_rules(Env& env, const ConformFlags& flags) {
  Json list = Json::array();
  std::string lines;
  for (const auto& rule : conformance_rules()) {
    std::string_view severity = rule.severity == Severity::kError ? "error" : "warning";
    list.push_back({{"rule", rule.name}, {"severity", severity}, {"sentence", rule.sentence}, {"note", rule.note}});
    lines += fmt::format("{:<7}  {:<23}  {} ({})\n", severity, rule.name, rule.sentence, rule.note);
  }
  env.out->write(flags.json ? to_compact(list) + "\n" : lines);
  return kExitPassed;
}

}  // namespace

int conform_command(Env& env, const std::vector<std::string>& args) {
  ConformFlags flags;
  Redactor secrets;
  flags.json = std::find(args.begin(), args.end(), "--json") != args.end();  // mistakes in the other flags are JSON too
  auto mistakes = [&](const Errors& errors) { return report_mistakes(env, errors, flags.json, secrets); };
  auto parsed = parse_args(args, option_names<ConformFlags>(kOptions));
  if (!parsed) return mistakes({parsed.error()});
  if (parsed->help) return env.out->write(help()), kExitPassed;
  if (auto applied = apply_args<ConformFlags>(*parsed, kOptions, flags); !applied) return mistakes({applied.error()});
  if (flags.rules) return print_rules(env, flags);
  if (parsed->positionals.size() != 1)
    return mistakes({{ErrorKind::kUsage, "`assay conform` takes one file", {}, "assay conform stream.sse"}});
  return judge_file(env, flags, parsed->positionals[0]);
}

}  // namespace assay
