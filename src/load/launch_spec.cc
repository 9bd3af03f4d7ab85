#include "load/launch_spec.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "check/read_pattern.h"
#include "load/command.h"

namespace assay {
namespace fs = std::filesystem;
namespace {

bool is_url(std::string_view text) {
  std::string small = lower(text);
  size_t scheme = small.starts_with("http://") ? 7 : small.starts_with("https://") ? 8 : 0;
  return scheme > 0 && text.size() > scheme && text[scheme] != '/' && text.find_first_of(" \t\r\n") == std::string_view::npos;
}

void read_url(Reader& r, const Node& n, LaunchReady& ready) {
  auto url = r.text(n, "`ready`");
  if (!url) return;
  if (!is_url(*url))
    r.error(n, fmt::format("{} is not an http:// or https:// URL", quote(*url)), "or write ready: { port: 3000 }");
  ready.kind = LaunchReady::Kind::kUrl;
  ready.url = *url;
}

void read_line(Reader& r, const Node& n, LaunchReady& ready, LaunchReady::Kind kind) {
  auto pattern = read_pattern(r, n, kind == LaunchReady::Kind::kStdout ? "`stdout`" : "`stderr`");
  ready.kind = kind;
  if (pattern) ready.pattern = pattern->text();
}

constexpr Field<LaunchReady> kReadyFields[] = {
    {"url", "text", "answers with a status below 500", read_url},
    {"port", "number", "accepts connections",
     [](Reader& r, const Node& n, LaunchReady& ready) {
       ready.kind = LaunchReady::Kind::kPort;
       if (auto port = r.integer(n, "`port`", 1, 65535)) ready.port = static_cast<int>(*port);
     }},
    {"host", "text", "of the port (localhost)",
     [](Reader& r, const Node& n, LaunchReady& ready) { ready.host = r.text(n, "`host`").value_or(ready.host); }},
    {"stdout", "pattern", "matches a line of its stdout",
     [](Reader& r, const Node& n, LaunchReady& ready) { read_line(r, n, ready, LaunchReady::Kind::kStdout); }},
    {"stderr", "pattern", "matches a line of its stderr",
     [](Reader& r, const Node& n, LaunchReady& ready) { read_line(r, n, ready, LaunchReady::Kind::kStderr); }},
};

void read_ready(Reader& r, const Node& n, LaunchSpec& spec) {
  LaunchReady& ready = spec.ready.emplace();
  if (!n.is_map()) return read_url(r, n, ready);
  read_fields<LaunchReady>(r, n, ready, kReadyFields, "`ready`");
  size_t ways = 0;
  for (const char* way : {"url", "port", "stdout", "stderr"})
    ways += n.find(way) != nullptr;
  if (ways != 1) r.error(n, "`ready` needs one of `url`, `port`, `stdout` and `stderr`");
  if (n.find("host") && !n.find("port")) r.error(n, "`host` of `ready` goes with `port`");
}

void read_env(Reader& r, const Node& n, LaunchSpec& spec) {
  if (!r.map(n, "`env`")) return;
  for (const auto& member : n.members) {
    const std::string& name = member.key.text;
    if (name.empty() || name.find('=') != std::string::npos)
      r.error(member.key, fmt::format("{} is no name of an environment variable", quote(name)));
    if (auto value = r.text(member.value, fmt::format("env {}", visible(name)))) spec.env.emplace_back(name, *value);
  }
}

constexpr Field<LaunchSpec> kLaunchFields[] = {
    {"cmd", "list of text", "program and arguments; no shell",
     [](Reader& r, const Node& n, LaunchSpec& s) { s.cmd = read_command(r, n, R"(["npm", "start"])"); },
     Field<LaunchSpec>::kRequired},
    {"ready", "URL or map", "when it counts as started (the target's port accepts connections)", read_ready},
    {"timeout_ms", "number", "until it is ready (60000)",
     [](Reader& r, const Node& n, LaunchSpec& s) { s.timeout = r.milliseconds(n, "`timeout_ms`").value_or(s.timeout); }},
    {"env", "map of text", "environment variables for it", read_env},
    {"cwd", "text", "working directory, from the config's (the config's)",
     [](Reader& r, const Node& n, LaunchSpec& s) { s.directory = r.text(n, "`cwd`").value_or(""); }},
    {"grace_ms", "number", "from SIGTERM to SIGKILL (5000)",
     [](Reader& r, const Node& n, LaunchSpec& s) { s.grace = r.milliseconds(n, "`grace_ms`").value_or(s.grace); }},
};

}  // namespace

LaunchSpec read_launch(Reader& reader, const Node& node, const fs::path& directory) {
  LaunchSpec spec;
  spec.place = node.place();
  read_fields<LaunchSpec>(reader, node, spec, kLaunchFields, "`launch`");
  spec.directory = (directory / spec.directory).lexically_normal().string();
  std::error_code ec;
  const Node* written = node.is_map() ? node.find("cwd") : nullptr;
  if (written && !written->is_deferred() && !fs::is_directory(spec.directory, ec))
    reader.error(*written, fmt::format("`cwd`: there is no directory {}", quote(spec.directory)));
  return spec;
}

LaunchReady port_of_url(std::string_view url) {
  LaunchReady ready;
  bool tls = lower(url.substr(0, 8)) == "https://";
  url.remove_prefix(std::min<size_t>(url.size(), tls ? 8 : 7));
  url = url.substr(0, url.find_first_of("/?#"));
  if (size_t at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  size_t colon = url.rfind(':');
  if (colon != std::string_view::npos && url.find(']', colon) != std::string_view::npos) colon = std::string_view::npos;  // IPv6
  std::string_view host = url.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  ready.kind = LaunchReady::Kind::kPort;
  ready.host = host;
  ready.port = tls ? 443 : 80;
  if (colon != std::string_view::npos) std::from_chars(url.data() + colon + 1, url.data() + url.size(), ready.port);
  return ready;
}

}  // namespace assay
