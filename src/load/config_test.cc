#include "load/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/project.h"

namespace assay {
namespace {

using testing::kTarget;
using testing::pointed;
using testing::Project;

TEST(Config, NamesInTheirOrder) {
  Project p;
  auto name = [&] { return p.read_config()->path.filename().string(); };
  EXPECT_EQ(name(), "");
  p.file("ananke.config.yaml", kTarget);
  EXPECT_EQ(name(), "ananke.config.yaml");
  p.file("aguitest.config.yaml", kTarget);
  EXPECT_EQ(name(), "aguitest.config.yaml");
  p.file("assay.config.yaml", kTarget);
  EXPECT_EQ(name(), "assay.config.yaml");
}

TEST(Config, TheNearestDirectoryFirst) {
  Project p;
  p.config(kTarget);
  p.file("sub/ananke.config.yaml", kTarget);
  p.file("sub/deep/er/x", "");
  p.file("other/x", "");
  p.env.cwd = p.dir / "sub/deep/er";
  EXPECT_EQ(p.read_config()->path, p.dir / "sub/ananke.config.yaml");
  EXPECT_EQ(p.read_config()->directory, p.dir / "sub");
  p.env.cwd = p.dir / "other";
  EXPECT_EQ(p.read_config()->path, p.dir / "assay.config.yaml");
}

TEST(Config, NamedByTheCommandLine) {
  Project p;
  p.config("nonsense: 1\n");
  p.file("conf/my.yaml", kTarget);
  auto config = p.read_config("conf/my.yaml");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->directory, p.dir / "conf");
  EXPECT_EQ(p.read_config("nope.yaml").error()[0].message, "cannot read the file: No such file or directory");
  EXPECT_EQ(p.read_config("conf").error()[0].message, "cannot read the file: it is not a regular file");
  ASSERT_EQ(mkfifo((p.dir / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(p.read_config("pipe").error()[0].message, "cannot read the file: it is not a regular file");
}

TEST(Config, UnknownKeysAtEveryLevel) {
  Project p;
  p.config("targte: {}\nlimits: {event_byts: 1}\nparalel: 3\nversion: \"1.0\"\n");
  EXPECT_EQ(p.load(),
            "assay.config.yaml:1:1 unknown key \"targte\" in the config\n"
            "assay.config.yaml:2:10 unknown key \"event_byts\" in `limits`\n"
            "assay.config.yaml:3:1 unknown key \"paralel\" in the config\n");
  EXPECT_EQ(p.errors[0].hint, "did you mean target?");
  EXPECT_EQ(p.errors[1].hint, "did you mean event_bytes?");
  EXPECT_EQ(p.errors[2].hint, "did you mean parallel?");
}

TEST(Config, Versions) {
  Project p;
  for (const char* good : {"\"1\"", "\"1.0\"", "1.0", "1.25", "1"}) {
    p.config("version: " + std::string(good) + "\n");
    EXPECT_TRUE(p.read_config()) << good;
  }
  for (const char* bad : {"\"2.0\"", "\"1.\"", "\"1.x\"", "10", "\"\"", "latest", "[1]", "0.9"}) {
    p.config("version: " + std::string(bad) + "\n");
    EXPECT_FALSE(p.read_config()) << bad;
  }
}

TEST(Config, Limits) {
  Project p;
  p.config("limits: {event_bytes: 10, turn_bytes: 20, json_depth: 5, object_members: 6, hook_output_bytes: 7}\n");
  auto config = p.read_config();
  ASSERT_TRUE(config);
  EXPECT_EQ(config->limits.event_bytes, 10u);
  EXPECT_EQ(config->limits.turn_bytes, 20u);
  EXPECT_EQ(config->limits.json.depth, 5u);
  EXPECT_EQ(config->limits.json.object_members, 6u);
  EXPECT_EQ(config->limits.hook_output_bytes, 7u);
  for (const char* bad : {"0", "-1", "1.5", "many", "[]", "1e30"}) {
    p.config("limits: {event_bytes: " + std::string(bad) + "}\n");
    EXPECT_FALSE(p.read_config()) << bad;
  }
}

TEST(Config, FlagsAreHandedOn) {
  Project p;
  p.config("parallel: 4\nfail-fast: true\ntimeout: \"${T}\"\nvars: {T: 5s}\n");
  auto config = p.read_config();
  ASSERT_TRUE(config);
  ASSERT_EQ(config->flags.size(), 3u);
  EXPECT_EQ(config->flags[0].first, "parallel");
  EXPECT_EQ(config->flags[2].second.text, "5s");
  p.variables["T"] = "9s";  // --var beats vars
  EXPECT_EQ(p.read_config()->flags[2].second.text, "9s");
}

TEST(Config, AFlagCannotWaitForAHook) {
  Project p;
  p.config("timeout: \"${FROM_HOOK}\"\nlimits: {event_bytes: \"${SIZE}\"}\ntarget: {endpoint: \"${URL}\"}\n");
  EXPECT_EQ(p.load(), "assay.config.yaml:1:11 unknown variable FROM_HOOK\nassay.config.yaml:2:24 unknown variable SIZE\n");
}

TEST(Config, TheEnvironment) {
  Project p;
  p.env.variables["SIZE"] = "99";
  p.config("limits: {event_bytes: \"${ENV.SIZE}\"}\n");
  EXPECT_EQ(p.read_config()->limits.event_bytes, 99u);
  p.config("target:\n  endpoint: \"${ENV.NOT_SET}\"\nagents: {a: {endpoint: \"${ENV.NEITHER}\"}}\n");
  EXPECT_EQ(p.load(),
            "assay.config.yaml:2:14 environment variable NOT_SET is not set\n"
            "assay.config.yaml:3:25 environment variable NEITHER is not set\n");
  EXPECT_EQ(pointed(p.errors[0].place), "${ENV.NOT_SET}");
}

TEST(Config, Shapes) {
  Project p;
  for (auto [text, message] : {std::pair{"- a\n", "the config must be a map, not a list"},
                               {"x\n", "the config must be a map, not text"},
                               {"target: url\n", "`target` must be a map, not text"},
                               {"agents: []\n", "`agents` must be a map, not a list"},
                               {"agents: {a: 1}\n", "agent \"a\" must be a map, not a number"},
                               {"vars: [1]\n", "`vars` must be a map, not a list"},
                               {"assertions: x\n", "`assertions` must be a map, not text"},
                               {"max_per_second: 0\n", "`max_per_second` must be above zero"},
                               {"launch: {}\n", "`launch` needs `cmd`"},
                               {"", "the file is empty"}}) {
    p.config(text);
    auto config = p.read_config();
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error()[0].message, message) << text;
  }
  p.config("---\n");
  EXPECT_TRUE(p.read_config());
}

TEST(ReadSource, NamesAreShownFromTheWorkingDirectory) {
  Project p;
  p.file("sub/x.yaml", "a: 1\n");
  auto name = [&](const char* path, const std::string& from) { return (*read_source(p.dir / path, from))->name; };
  EXPECT_EQ(name("sub/x.yaml", p.dir.path()), "sub/x.yaml");
  EXPECT_EQ(name("sub/x.yaml", p.dir / "elsewhere"), p.dir / "sub/x.yaml");
}

}  // namespace
}  // namespace assay
