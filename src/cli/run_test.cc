#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "support/cli.h"
#include "support/serve_support.h"

namespace assay {
namespace {

using test::serve_rule;
using testing::Cli;

constexpr std::string_view kHello = R"({"steps":[{"text":"Hello {{message}}"}]})";

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// A project of two tests: `good` passes, `bad` fails.
class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    cli.target(server->port());
    cli.file("good.test.yaml", "name: good one\nturns: [{user: hi, assert: {text: {must_match: Hello}}}]\n");
    cli.file("sub/bad.test.yaml", "name: bad one\nturns: [{user: hi, assert: {text: {must_match: Bye}}}]\n");
  }
  std::unique_ptr<ScriptServer> server = serve_rule(kHello);
  Cli cli;
};

TEST_F(RunTest, ExitCodes) {
  EXPECT_EQ(cli.run({"run", "good.test.yaml"}), 0) << cli.out() << cli.err();
  EXPECT_EQ(cli.run({"run"}), 1);
  EXPECT_TRUE(has(cli.out(), "bad one")) << cli.out();
  EXPECT_EQ(cli.run({"run", "nope.yaml"}), 2);
  EXPECT_EQ(cli.out(), "");
  EXPECT_EQ(cli.run({"run", "good.test.yaml", "-o", "no/such/dir/x.json"}), 3);
  EXPECT_TRUE(has(cli.err(), "cannot write")) << cli.err();
  EXPECT_EQ(cli.run({"run", "-o", "x.doc"}), 2);
  server->stop();
  EXPECT_EQ(cli.run({"run", "good.test.yaml"}), 1);
}

TEST_F(RunTest, Json) {
  EXPECT_EQ(cli.run({"run", "--json"}), 1);
  Json json = cli.json();
  EXPECT_EQ(cli.err(), "");
  EXPECT_EQ(json["passed"], Json(1));
  EXPECT_EQ(json["failed"], Json(1));
  EXPECT_EQ(json["total"], Json(2));
  EXPECT_EQ(json.size(), 4u);
  EXPECT_EQ(json["tests"][0]["name"], Json("good one"));
  EXPECT_EQ(json["tests"][0]["file"], Json("good.test.yaml"));
  EXPECT_EQ(json["tests"][0]["passed"], Json(true));
  EXPECT_TRUE(json["tests"][0]["duration"].is_number());
  EXPECT_FALSE(json["tests"][0].contains("failures"));
  EXPECT_EQ(json["tests"][1]["file"], Json("sub/bad.test.yaml"));
  ASSERT_EQ(json["tests"][1]["failures"].size(), 1u);
  EXPECT_TRUE(json["tests"][1]["failures"][0].is_string());
  for (const auto& test : json["tests"])
    for (const auto& [key, value] : test.items())
      EXPECT_TRUE(has("name file passed duration error failures", key)) << key;
}

TEST_F(RunTest, MistakesAreJsonToo) {
  for (std::vector<std::string> args : std::vector<std::vector<std::string>>{{"--run", "nothing-like-it"},
                                                                             {"--run", "(open"},
                                                                             {"nope.yaml"},
                                                                             {"--frobnicate"},
                                                                             {"--parallel", "x"},
                                                                             {"-o", "x.doc"},
                                                                             {"-c", "nope.yaml"}}) {
    args.insert(args.begin(), "run");
    args.push_back("--json");
    EXPECT_EQ(cli.run(args), 2);
    EXPECT_EQ(cli.err(), "") << args[1];
    Json json = cli.json();
    EXPECT_EQ(json.size(), 1u);
    EXPECT_TRUE(json.contains("error") && json["error"].is_string()) << cli.out();
  }
}

TEST_F(RunTest, DryRunListsAndRunsNothing) {
  cli.file("skipped.test.yaml", "name: later\nskip: not yet\nhooks: [{cmd: [touch, ran]}]\nturns: [{user: a}, {user: b}]\n");
  server->stop();
  EXPECT_EQ(cli.run({"run", "--dry-run", "-o", "x.json"}), 0);
  EXPECT_EQ(cli.out(),
            "good  good one  good.test.yaml (1 turn)\n"
            "skipped  later  skipped.test.yaml (2 turns, skipped: not yet)\n"
            "sub/bad  bad one  sub/bad.test.yaml (1 turn)\n"
            "\n3 cases, nothing was run\n");
  EXPECT_FALSE(std::filesystem::exists(cli.dir / "x.json"));
  EXPECT_FALSE(std::filesystem::exists(cli.dir / "ran"));
  EXPECT_EQ(cli.run({"run", "-d", "--json"}), 0);
  EXPECT_EQ(cli.json()["total"], Json(3));
  EXPECT_EQ(cli.json()["tests"][1]["turns"], Json(2));
  cli.file("broken.test.yaml", "name: x\nturn: []\n");
  EXPECT_EQ(cli.run({"run", "--dry-run"}), 2);
}

TEST_F(RunTest, RunPicksByIdAndName) {
  auto picked = [&](const std::string& pattern) {
    EXPECT_EQ(cli.run({"run", "-d", "--json", "--run", pattern}), 0) << cli.out();
    std::string out;
    Json json = cli.json();
    for (const auto& test : json["tests"])
      out += test["id"].get<std::string>() + " ";
    return out;
  };
  EXPECT_EQ(picked("good"), "good ");
  EXPECT_EQ(picked("^sub/"), "sub/bad ");
  EXPECT_EQ(picked("one$"), "good sub/bad ");
  EXPECT_EQ(picked("/BAD ONE/i"), "sub/bad ");
  EXPECT_EQ(cli.run({"run", "--run", "zzz"}), 2);
  EXPECT_EQ(cli.err(), "error: --run \"zzz\" matches none of 2 cases\n");
  EXPECT_EQ(cli.run({"run", "--run", "(open"}), 2);
  EXPECT_TRUE(cli.err().starts_with("error: --run: ")) << cli.err();
}

TEST_F(RunTest, Variables) {
  cli.file("v.test.yaml", "name: v\nturns: [{user: \"${WHO}\", assert: {text: {must_match: \"^Hello ${WHO}$\"}}}]\n");
  EXPECT_EQ(cli.run({"run", "v.test.yaml", "--var", "WHO=you"}), 0) << cli.out();
  EXPECT_EQ(cli.run({"run", "v.test.yaml"}), 1);
  EXPECT_TRUE(has(cli.out(), "v.test.yaml:2:17: unknown variable WHO")) << cli.out();
  cli.file("e.test.yaml", "name: e\nturns: [{user: \"${ENV.WHO}\"}]\n");
  EXPECT_EQ(cli.run({"run", "e.test.yaml"}), 2);
  EXPECT_TRUE(has(cli.err(), "e.test.yaml:2:17: error: environment variable WHO is not set\n")) << cli.err();
  cli.variables["WHO"] = "me";
  EXPECT_EQ(cli.run({"run", "e.test.yaml"}), 0);
}

TEST_F(RunTest, FlagsOfTheConfig) {
  cli.target(server->port(), "json: true\nrun: good\n");
  EXPECT_EQ(cli.run({"run"}), 0);
  EXPECT_EQ(cli.json()["total"], Json(1));
  EXPECT_EQ(cli.run({"run", "--run", "bad"}), 1);  // the command line wins
  EXPECT_EQ(cli.json()["tests"][0]["name"], Json("bad one"));
  cli.target(server->port(), "output: [a.json, b.jsonl]\nrun: \"${PICK}\"\nvars: {PICK: good}\n");
  EXPECT_EQ(cli.run({"run"}), 0) << cli.out() << cli.err();
  EXPECT_NE(cli.read("a.json"), "");
  EXPECT_NE(cli.read("b.jsonl"), "");
  cli.target(server->port(), "parallel: none\ntimeout: 5\nfail-fast: maybe\n");
  EXPECT_EQ(cli.run({"run"}), 2);
  for (const char* part : {"assay.config.yaml:3:11: error: `parallel`: \"none\"", "`timeout`: \"5\" is not a duration",
                           "`fail-fast`: \"maybe\" is not true or false"})
    EXPECT_TRUE(has(cli.err(), part)) << cli.err();
  cli.target(server->port(), "dry-run: true\n");
  EXPECT_EQ(cli.run({"run"}), 2);
  EXPECT_TRUE(has(cli.err(), "unknown key \"dry-run\" in the config")) << cli.err();
}

TEST_F(RunTest, TheConfigIsFoundFromBelow) {
  cli.below = "sub";
  EXPECT_EQ(cli.run({"run", "--dry-run", "--json"}), 0);
  EXPECT_EQ(cli.json()["total"], Json(2));
  EXPECT_EQ(cli.run({"run", "bad.test.yaml", "-o", "x.json"}), 1);
  EXPECT_NE(cli.read("sub/x.json"), "");
}

TEST_F(RunTest, Colors) {
  auto colored = [&](std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", "good.test.yaml"});
    EXPECT_EQ(cli.run(more), 0);
    return has(cli.out(), "\x1b[3");
  };
  EXPECT_FALSE(colored());
  EXPECT_TRUE(colored({"--color", "always"}));
  cli.terminal = true;
  EXPECT_TRUE(colored());
  EXPECT_FALSE(colored({"--color", "never"}));
  cli.variables["NO_COLOR"] = "1";
  EXPECT_FALSE(colored());
  EXPECT_TRUE(colored({"--color=always"}));
  cli.variables.erase("NO_COLOR");
  cli.variables["CI"] = "true";
  EXPECT_FALSE(colored());
}

TEST_F(RunTest, SecretsStayOutOfMistakes) {
  cli.variables["TOKEN"] = "s3cret-token-value";
  cli.file("s.test.yaml", "name: s\nturns: [{user: a}]\ntimeout: \"${ENV.TOKEN}\"\n");
  EXPECT_EQ(cli.run({"run", "s.test.yaml"}), 2);
  EXPECT_FALSE(has(cli.err(), "s3cret-token-value")) << cli.err();
  EXPECT_TRUE(has(cli.err(), "***")) << cli.err();
}

TEST_F(RunTest, AllSkippedIsAWarning) {
  cli.file("only/s.test.yaml", "name: s\nskip: true\nturns: [{user: a}]\n");
  EXPECT_EQ(cli.run({"run", "only"}), 0);
  EXPECT_TRUE(has(cli.err(), "warning: every case was skipped")) << cli.err();
}

TEST_F(RunTest, EveryMistakeAtOnce) {
  cli.file("x.test.yaml", "name: x\nturns: [{usr: a}]\n");
  cli.file("y.test.yaml", "nam: y\nturns: [{user: a}]\n");
  EXPECT_EQ(cli.run({"run"}), 2);
  EXPECT_TRUE(has(cli.err(),
                  "x.test.yaml:2:10: error: unknown key \"usr\" in a turn\n"
                  "  2 | turns: [{usr: a}]\n"
                  "    |          ^^^\n"
                  "  hint: did you mean user?\n"))
      << cli.err();
  EXPECT_TRUE(has(cli.err(), "did you mean name?"));
}

TEST(RunInterrupt, KeepsWhatIsFinished) {
  std::atomic<int> requests = 0;
  ServeOptions options;
  options.log = [&](std::string_view) { ++requests; };
  auto server = test::serve(R"({"agents":{"a":{"rules":[{"when":{"message":"slow"},"steps":[{"text":"Hel"},{"fault":"stall"}]},
                                                        {"steps":[{"text":"Hello"}]}]}}})",
                            options);
  Cli cli;
  cli.target(server->port());
  cli.file("a.test.yaml", "name: a\nturns: [{user: quick}]\n");
  cli.file("b.test.yaml", "name: b\nturns: [{user: slow}]\n");
  cli.file("c.test.yaml", "name: c\nturns: [{user: quick}]\n");
  std::jthread ctrl_c([&] {
    for (int i = 0; i < 2000 && requests < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    cli.interrupt(SIGINT);
  });
  EXPECT_EQ(cli.run({"run", "-o", "x.json"}), 130);
  auto report = parse_json(cli.read("x.json"));
  ASSERT_TRUE(report) << cli.read("x.json");
  const Json& results = (*report)["results"];
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]["status"], Json("passed"));
  EXPECT_EQ(results[1]["status"], Json("skipped"));
  EXPECT_EQ(results[2]["status"], Json("skipped"));
  EXPECT_TRUE(has(results[2]["error"].get<std::string>(), "interrupted")) << results[2]["error"];
}

TEST(RunInterrupt, SigtermHasItsOwnCode) {
  auto server = serve_rule(R"({"steps":[{"fault":"stall"}]})");
  Cli cli;
  cli.target(server->port());
  cli.file("a.test.yaml", "name: a\nturns: [{user: x}]\n");
  cli.interrupt(SIGTERM);
  EXPECT_EQ(cli.run({"run", "--json"}), 143);
  EXPECT_EQ(cli.json()["total"], Json(1));
}

TEST(Serve, UntilItIsInterrupted) {
  Cli cli;
  cli.file("agents.yaml", "agents: {a: {rules: [{steps: [{text: hi}]}]}}\n");
  cli.interrupt(SIGINT);
  EXPECT_EQ(cli.run({"serve", "agents.yaml"}), 0);
  EXPECT_TRUE(cli.out().starts_with("listening on http://127.0.0.1:")) << cli.out();
  cli.file("agents.yaml", "agents: {a: {rlues: []}}\n");
  EXPECT_EQ(cli.run({"serve", "agents.yaml"}), 2);
  EXPECT_TRUE(has(cli.err(), "agents.yaml:1:14: error: ")) << cli.err();
}

TEST(Demo, RunsAndWritesItsReport) {
  Cli cli;
  EXPECT_EQ(cli.run({"demo"}), 0) << cli.out() << cli.err();
  EXPECT_NE(cli.read("assay-demo.html"), "");
  EXPECT_EQ(cli.run({"demo", "--broken", "-o", "b.json"}), 1);
  EXPECT_NE(cli.read("b.json"), "");
}

}  // namespace
}  // namespace assay
