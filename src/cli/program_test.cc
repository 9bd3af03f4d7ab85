#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/options.h"
#include "support/cli.h"

namespace assay {
namespace {

using testing::Cli;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Program, Version) {
  Cli cli;
  for (const char* flag : {"--version", "-V"}) {
    EXPECT_EQ(cli.run({flag}), 0);
    EXPECT_EQ(cli.out(), "assay " ASSAY_VERSION "\n");
    EXPECT_EQ(cli.err(), "");
  }
}

TEST(Program, Help) {
  Cli cli;
  for (const char* word : {"--help", "-h", "help"}) {
    EXPECT_EQ(cli.run({word}), 0);
    for (const char* command : {"run", "demo", "conform", "serve"})
      EXPECT_TRUE(has(cli.out(), std::string("  ") + command)) << cli.out();
  }
  EXPECT_EQ(cli.run({}), 2);
  EXPECT_EQ(cli.out(), "");
  EXPECT_TRUE(has(cli.err(), "usage: assay COMMAND"));
}

TEST(Program, HelpOfEveryCommandIsComplete) {
  Cli cli;
  for (const char* command : {"run", "demo", "conform", "serve"}) {
    for (const char* flag : {"--help", "-h"}) {
      EXPECT_EQ(cli.run({command, flag}), 0);
      EXPECT_TRUE(cli.out().starts_with("usage: assay " + std::string(command))) << cli.out();
      EXPECT_TRUE(has(cli.out(), "example: assay " + std::string(command))) << cli.out();
      EXPECT_EQ(cli.err(), "");
    }
  }
  cli.run({"run", "--help"});
  for (const auto& option : run_options()) {
    EXPECT_TRUE(has(cli.out(), " --" + std::string(option.name))) << option.name;
    EXPECT_TRUE(has(cli.out(), option.help)) << option.name;
    std::string letter = option.letter ? std::string("  -") + option.letter + ", --" : "";
    EXPECT_TRUE(has(cli.out(), letter)) << option.name;
  }
  cli.run({"serve", "--help"});
  for (const char* flag : {"-p, --port P", "--host H", "-v, --verbose"})
    EXPECT_TRUE(has(cli.out(), flag)) << cli.out();
}

TEST(Program, UnknownCommandsAndFlags) {
  Cli cli;
  EXPECT_EQ(cli.run({"rnu"}), 2);
  EXPECT_EQ(cli.err(), "error: unknown command \"rnu\"\n  hint: did you mean run?\n");
  EXPECT_EQ(cli.run({"\x1b[31mx"}), 2);
  EXPECT_FALSE(has(cli.err(), "\x1b"));
  EXPECT_EQ(cli.run({"run", "--paralel", "3"}), 2);
  EXPECT_EQ(cli.err(), "error: unknown flag --paralel\n  hint: did you mean --parallel?\n");
  EXPECT_EQ(cli.run({"run", "--paralel=3"}), 2);
  EXPECT_TRUE(has(cli.err(), "did you mean --parallel?")) << cli.err();
  EXPECT_EQ(cli.run({"run", "-z"}), 2);
  EXPECT_TRUE(has(cli.err(), "unknown flag -z")) << cli.err();
  EXPECT_EQ(cli.run({"serve", "--prot", "1"}), 2);
  EXPECT_TRUE(has(cli.err(), "did you mean --port?")) << cli.err();
  EXPECT_EQ(cli.run({"demo", "--borken"}), 2);
  EXPECT_TRUE(has(cli.err(), "did you mean --broken?")) << cli.err();
  EXPECT_EQ(cli.run({"demo", "file.yaml"}), 2);
  EXPECT_EQ(cli.run({"serve"}), 2);
  EXPECT_EQ(cli.run({"serve", "a", "b"}), 2);
  EXPECT_EQ(cli.run({"serve", "a", "--port", "70000"}), 2);
  EXPECT_TRUE(has(cli.err(), "--port: \"70000\" is not a port from 0 to 65535")) << cli.err();
}

TEST(Program, WrongValuesOfFlags) {
  Cli cli;
  for (auto [flag, value, message] :
       std::vector<std::array<const char*, 3>>{{"--parallel", "0", "--parallel: \"0\" is not a whole number from 1 to 1000000"},
                                               {"--parallel", "many", "--parallel: \"many\" is not a whole number"},
                                               {"--timeout", "30", "--timeout: \"30\" is not a duration: it has no unit"},
                                               {"--timeout", "0s", "--timeout: a timeout must be above zero"},
                                               {"--var", "X", "--var: \"X\" is not NAME=VALUE"},
                                               {"--var", "=X", "--var: \"=X\" is not NAME=VALUE"},
                                               {"--color", "blue", "--color: \"blue\" is not auto, always or never"},
                                               {"--seed", "x", "--seed: \"x\" is not a whole number"}}) {
    EXPECT_EQ(cli.run({"run", flag, value}), 2);
    EXPECT_TRUE(has(cli.err(), message)) << cli.err();
    EXPECT_EQ(cli.out(), "");
  }
  EXPECT_EQ(cli.run({"run", "--run"}), 2);
  EXPECT_TRUE(has(cli.err(), "--run")) << cli.err();
}

}  // namespace

namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

Given parsed(const std::vector<std::string>& args) {
  auto out = parse_args(args, option_names(run_options()));
  EXPECT_TRUE(out) << out.error().message;
  return out ? out->options : Given();
}

TEST(ParseArgs, Spellings) {
  EXPECT_EQ(parsed({"--run", "a"}), (Given{{"run", "a"}}));
  EXPECT_EQ(parsed({"--run=a=b"}), (Given{{"run", "a=b"}}));
  EXPECT_EQ(parsed({"-o", "x.json", "-ox.html"}), (Given{{"output", "x.json"}, {"output", "x.html"}}));
  EXPECT_EQ(parsed({"--var", "A=1,2", "--var", "B=[x]", "--var", "C= "}),
            (Given{{"var", "A=1,2"}, {"var", "B=[x]"}, {"var", "C= "}}));
  EXPECT_EQ(parsed({"--var", "A="}), (Given{{"var", "A="}}));
  EXPECT_EQ(parsed({"-q"}), (Given{{"quiet", "true"}}));
}

TEST(ParseArgs, Positionals) {
  auto out = parse_args({"a", "--run", "x", "b", "-v", "c"}, option_names(run_options()));
  ASSERT_TRUE(out);
  EXPECT_EQ(out->positionals, (std::vector<std::string>{"a", "b", "c"}));
  out = parse_args({"-q", "--", "--odd.test.yaml", "b"}, option_names(run_options()));
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out->positionals, (std::vector<std::string>{"--odd.test.yaml", "b"}));
}

TEST(ParseArgs, RunTakesThePatternAsItIs) {
  for (const char* pattern : {"^a|b$", "[x]", "{}", "a b", "\"q\"", "%%", "-dash"}) {
    auto out = parse_args({"--run=" + std::string(pattern)}, option_names(run_options()));
    ASSERT_TRUE(out) << pattern << out.error().message;
    EXPECT_EQ(out->options, (Given{{"run", pattern}}));
  }
}

}  // namespace
}  // namespace assay
