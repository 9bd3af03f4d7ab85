#include "load/launch_spec.h"

#include <gtest/gtest.h>

#include "support/project.h"

namespace assay {
namespace {

using Kind = LaunchReady::Kind;
using testing::Project;

LaunchSpec loaded(Project& p, std::string_view text) {
  p.config(text);
  auto config = p.read_config();
  EXPECT_TRUE(config) << text << p.show(config ? Errors() : config.error());
  EXPECT_TRUE(config && config->launch) << text;
  return config && config->launch ? *config->launch : LaunchSpec();
}

std::string mistakes(Project& p, std::string_view text) {
  p.config(text);
  auto config = p.read_config();
  return config ? "" : p.show(config.error());
}

TEST(LaunchSpec, EverythingThatCanBeWritten) {
  Project p;
  p.file("app/x", "");
  LaunchSpec spec = loaded(p,
                           "launch:\n"
                           "  cmd: [npm, start, --port, 3000]\n"
                           "  ready: http://127.0.0.1:3000/health\n"
                           "  timeout_ms: 1500\n"
                           "  env: {PORT: 3000, MODE: test}\n"
                           "  cwd: app\n"
                           "  grace_ms: 100\n");
  EXPECT_EQ(spec.cmd, (std::vector<std::string>{"npm", "start", "--port", "3000"}));
  EXPECT_EQ(spec.ready->kind, Kind::kUrl);
  EXPECT_EQ(spec.ready->url, "http://127.0.0.1:3000/health");
  EXPECT_EQ(spec.timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(spec.env, (std::vector<std::pair<std::string, std::string>>{{"PORT", "3000"}, {"MODE", "test"}}));
  EXPECT_EQ(spec.directory, p.dir / "app");
  EXPECT_EQ(spec.grace, std::chrono::milliseconds(100));
  EXPECT_EQ(spec.place.line, 2);
}

TEST(LaunchSpec, Ready) {
  Project p;
  auto ready = [&](const std::string& text) { return *loaded(p, "launch: {cmd: [x], ready: " + text + "}\n").ready; };
  EXPECT_EQ(ready("{port: 3000}").kind, Kind::kPort);
  EXPECT_EQ(ready("{port: 3000}").host, "localhost");
  EXPECT_EQ(ready("{port: 3000, host: db}").host, "db");
  EXPECT_EQ(ready("{url: \"https://h/\"}").url, "https://h/");
  EXPECT_EQ(ready("{stdout: /Listening/i}").pattern, "/Listening/i");
  EXPECT_EQ(ready("{stderr: up}").kind, Kind::kStderr);
}

TEST(LaunchSpec, WithoutReadyTheTargetsPortIsWaitedFor) {
  Project p;
  LaunchSpec spec = loaded(p, "target: {endpoint: \"http://localhost:8123/x\", launch: {cmd: [x]}}\n");
  EXPECT_EQ(spec.ready->kind, Kind::kPort);
  EXPECT_EQ(spec.ready->port, 8123);
  EXPECT_EQ(spec.directory, p.dir.path() + "/");
  EXPECT_FALSE(loaded(p, "launch: {cmd: [x]}\n").ready);
  EXPECT_FALSE(loaded(p, "target: {endpoint: \"${FROM_A_HOOK}\"}\nlaunch: {cmd: [x]}\n").ready);
}

TEST(LaunchSpec, PortOfUrl) {
  auto shown = [](std::string_view url) {
    LaunchReady ready = port_of_url(url);
    return ready.host + " " + std::to_string(ready.port);
  };
  EXPECT_EQ(shown("http://h/x"), "h 80");
  EXPECT_EQ(shown("HTTPS://h?x"), "h 443");
  EXPECT_EQ(shown("http://user:pw@h:81/x:3"), "h 81");
  EXPECT_EQ(shown("http://[::1]:82"), "::1 82");
  EXPECT_EQ(shown("http://[::1]"), "::1 80");
}

TEST(LaunchSpec, Mistakes) {
  Project p;
  for (auto [text, message] :
       {std::pair{"{}", "`launch` needs `cmd`"},
        {"{cmd: npm start}", "`cmd` must be a list: the program and its arguments (no shell is used)"},
        {"{cmd: []}", "`cmd` is empty"},
        {"{cmd: [x], redy: 1}", "unknown key \"redy\" in `launch`"},
        {"{cmd: [x], ready: ftp//x}", "\"ftp//x\" is not an http:// or https:// URL"},
        {"{cmd: [x], ready: {}}", "`ready` needs one of `url`, `port`, `stdout` and `stderr`"},
        {"{cmd: [x], ready: {port: 1, stdout: a}}", "`ready` needs one of `url`, `port`, `stdout` and `stderr`"},
        {"{cmd: [x], ready: {stdout: a, host: b}}", "`host` of `ready` goes with `port`"},
        {"{cmd: [x], ready: {stdout: \"(\"}}", "`stdout`: bad pattern"},
        {"{cmd: [x], ready: {port: 70000}}", "`port` must be"},
        {"{cmd: [x], cwd: nowhere}", "`cwd`: there is no directory"},
        {"{cmd: [x], env: {\"A=B\": 1}}", "\"A=B\" is no name of an environment variable"},
        {"{cmd: [x], timeout_ms: 0}", "`timeout_ms` must be"}}) {
    for (std::string config :
         {"launch: " + std::string(text) + "\n", "target: {endpoint: \"http://h/x\", launch: " + std::string(text) + "}\n"}) {
      std::string shown = mistakes(p, config);
      EXPECT_NE(shown.find(message), std::string::npos) << config << shown;
    }
  }
}

TEST(LaunchSpec, OneForARunAndKnownBeforeIt) {
  Project p;
  EXPECT_NE(
      mistakes(p, "launch: {cmd: [x]}\ntarget: {endpoint: \"http://h/x\", launch: {cmd: [x]}}\n").find("a run launches one"),
      std::string::npos);
  EXPECT_NE(mistakes(p, "agents: {a: {endpoint: \"http://h/x\", launch: {cmd: [x]}}}\n").find("`launch` of one of `agents`"),
            std::string::npos);
  for (const char* text :
       {"launch: {cmd: [\"${LATER}\"]}\n", "target: {endpoint: \"http://h/x\", launch: {cmd: [\"${LATER}\"]}}\n"})
    EXPECT_NE(mistakes(p, text).find("unknown variable LATER"), std::string::npos) << mistakes(p, text);
  p.variables["LATER"] = "now";
  EXPECT_EQ(loaded(p, "target: {endpoint: \"http://h/x\", launch: {cmd: [\"${LATER}\"]}}\n").cmd[0], "now");
  p.variables.clear();
  EXPECT_EQ(loaded(p, "vars: {LATER: v}\nlaunch: {cmd: [\"${LATER}\"]}\n").cmd[0], "v");
}

}  // namespace
}  // namespace assay
