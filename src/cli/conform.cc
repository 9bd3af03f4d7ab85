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

std::string set_header(ConformFlags& f, const std::string& value) {
  size_t colon = value.find(':');
  std::string_view name = trim(std::string_view(value).substr(0, colon));
  auto is_part = [](unsigned char c) { return c > 0x20 && c < 0x7f; };
  bool ok = colon != std::string::npos && !name.empty() && std::all_of(name.begin(), name.end(), is_part) &&
            value.find_first_of("\r\n") == std::string::npos;
  if (!ok) return "it is not \"Name: value\"";  // never shown: it may hold a secret
  f.agent.headers.emplace_back(name, trim(std::string_view(value).substr(colon + 1)));
  return "";
}

std::string set_timeout(ConformFlags& f, const std::string& value) {
  auto parsed = parse_duration(value);
  if (!parsed.value) return parsed.error;
  if (*parsed.value <= Duration{}) return "a timeout must be above zero";
  f.agent.timeout = parsed.value;
  return "";
}

// Sorted by need: this is the order of --help.
constexpr Option<ConformFlags> kOptions[] = {
    {"header", 0, "H", "\"Name: value\", sent with every request, repeatable", set_header},
    {"message", 0, "TEXT", "what the user says (a greeting)",
     [](ConformFlags& f, const std::string& v) { return f.message = v, std::string(); }},
    {"timeout", 0, "D", "one request until its stream ends (1m)", set_timeout},
    {"agent-id", 0, "ID", "agent of a CopilotKit runtime",
     [](ConformFlags& f, const std::string& v) { return f.agent.agent_id = v, std::string(); }},
    {"format", 0, "F", "of a file: sse or jsonl (by its name: .jsonl and .ndjson hold one event per line)", set_format},
    {"json", 0, "", "machine output on stdout, human text off",
     [](ConformFlags& f, const std::string&) { return f.json = true, std::string(); }},
    {"rules", 0, "", "print the rules that are judged by, and do nothing else",
     [](ConformFlags& f, const std::string&) { return f.rules = true, std::string(); }},
    {"color", 0, "WHEN", "auto, always or never (auto: terminals; NO_COLOR and CI are respected)",
     [](ConformFlags& f, const std::string& v) { return set_color_word(f.color, v); }},
};

std::string help() {
  return "usage: assay conform URL|FILE [FLAGS]\n\n"
         "Probes an AG-UI endpoint, or judges a recorded stream, and lists what breaks the rules of AG-UI 1.1.\n"
         "FILE has the bytes of a response (server-sent events), or one event per line; - is standard input.\n\n" +
         options_help<ConformFlags>(kOptions) +
         "\nexit codes: 0 no rule of severity error was broken, 1 one was, or a probe failed, 2 something written is wrong,\n"
         "            3 nobody answers at the URL, 130/143 interrupted\n"
         "\nexample: assay conform http://127.0.0.1:8000/agent --header \"Authorization: Bearer abc\"\n";
}

// Flags that say nothing about what was given: who writes one expects something of it.
Errors misplaced(const ParsedArgs& args, bool is_url) {
  Errors out;
  for (const auto& [name, value] : args.options) {
    bool of_url = name == "header" || name == "message" || name == "timeout" || name == "agent-id";
    if (is_url ? name == "format" : of_url)
      out.push_back({ErrorKind::kUsage, fmt::format("--{} goes with a {}", name, is_url ? "file" : "URL"), {}, {}});
  }
  return out;
}

bool has_host(std::string_view url) {
  url.remove_prefix(url.find("://") + 3);
  return !url.empty() && url[0] != '/' && url.find_first_of(" \t\r\n") == std::string_view::npos;
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
  flags.agent.timeout = std::chrono::minutes(1);
  Redactor secrets;
  flags.json = std::find(args.begin(), args.end(), "--json") != args.end();  // mistakes in the other flags are JSON too
  auto mistakes = [&](const Errors& errors) { return report_mistakes(env, errors, flags.json, secrets); };
  auto parsed = parse_args(args, option_names<ConformFlags>(kOptions));
  if (!parsed) return mistakes({parsed.error()});
  if (parsed->help) return env.out->write(help()), kExitPassed;
  if (auto applied = apply_args<ConformFlags>(*parsed, kOptions, flags); !applied) return mistakes({applied.error()});
  if (flags.rules) return print_rules(env, flags);
  if (parsed->positionals.size() != 1)
    return mistakes(
        {{ErrorKind::kUsage, "`assay conform` takes one URL or file", {}, "assay conform http://127.0.0.1:8000/agent"}});
  const std::string& what = parsed->positionals[0];
  bool is_url = lower(what.substr(0, 7)) == "http://" || lower(what.substr(0, 8)) == "https://";
  if (is_url && !has_host(what))
    return mistakes(
        {{ErrorKind::kUsage, fmt::format("{} is no URL", quote(what)), {}, "assay conform http://127.0.0.1:8000/agent"}});
  if (Errors errors = misplaced(*parsed, is_url); !errors.empty()) return mistakes(errors);
  flags.agent.endpoint = what;
  return is_url ? probe_url(env, flags) : judge_file(env, flags, what);
}

}  // namespace assay
