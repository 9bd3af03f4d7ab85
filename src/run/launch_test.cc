#include "run/launch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/files.h"
#include "support/loop_support.h"
#include "support/raw_server.h"

namespace assay {
namespace {

using Kind = LaunchReady::Kind;
using test::ms;

bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0; }

bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 2000 && !holds(); ++i)
    std::this_thread::sleep_for(ms(5));
  return holds();
}

int free_port() {
  test::RawServer server([](test::Peer&) {});
  return server.port();
}

class LaunchTest : public ::testing::Test {
 protected:
  LaunchTest() {
    EXPECT_EQ(pipe2(signals, O_CLOEXEC | O_NONBLOCK), 0);
    env.variables["PATH"] = "/usr/bin:/bin";
    env.clock = &clock;
    env.signal_fd = signals[0];
    spec.directory = dir.path();
    spec.timeout = std::chrono::seconds(20);
    spec.ready = LaunchReady{};
    spec.ready->kind = Kind::kStdout;
    spec.ready->pattern = "ready";
  }
  ~LaunchTest() override { ::close(signals[0]), ::close(signals[1]); }

  std::unique_ptr<Launch> start(const std::string& script) {
    spec.cmd = {"sh", "-c", script};
    return begin();
  }
  // A python server on `port` that answers GET with the next of `statuses`, the last one for ever.
  std::unique_ptr<Launch> start_server(int port, const std::string& statuses) {
    testing::write_file(dir / "server.py",
                        "import http.server\n"
                        "statuses = [" +
                            statuses +
                            "]\n"
                            "class H(http.server.BaseHTTPRequestHandler):\n"
                            "  def do_GET(self):\n"
                            "    self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])\n"
                            "    self.end_headers()\n"
                            "http.server.HTTPServer(('127.0.0.1', " +
                            std::to_string(port) + "), H).serve_forever()\n");
    spec.cmd = {"python3", "server.py"};
    return begin();
  }
  std::unique_ptr<Launch> begin() {
    auto launch = Launch::start(spec, env, secrets, log);
    error = launch ? Error() : launch.error();
    return launch ? std::move(*launch) : nullptr;
  }
  // A process whose number the application wrote into a file.
  pid_t noted(const std::string& file) {
    EXPECT_TRUE(eventually([&] { return testing::read_file(dir / file).ends_with("\n"); })) << file;
    return std::stoi("0" + testing::read_file(dir / file));
  }
  static CaseResult broken(Outcome outcome, Status status = Status::kError) {
    CaseResult result;
    result.status = status;
    result.error = "it broke";
    result.transcript.turns.emplace_back().outcome = outcome;
    return result;
  }

  test::WallClock clock;
  testing::TempDir dir;
  Env env;
  Redactor secrets;
  LaunchSpec spec;
  LaunchLog log;
  Error error;
  int signals[2] = {-1, -1};
};

TEST_F(LaunchTest, ReadyByALine) {
  EXPECT_TRUE(start("echo booting; echo all ready; exec sleep 100")) << error.message;
  spec.ready->kind = Kind::kStderr;
  EXPECT_TRUE(start("echo all ready >&2; exec sleep 100")) << error.message;
  spec.timeout = ms(200);
  EXPECT_FALSE(start("echo all ready; exec sleep 100"));
  EXPECT_EQ(error.message, "the launched application was not ready after 200ms (timeout_ms): no line matched \"ready\"");
  EXPECT_EQ(error.hint, "it printed last:\n    all ready");
}

TEST_F(LaunchTest, ReadyByPort) {
  spec.ready->kind = Kind::kPort;
  spec.ready->port = free_port();
  auto launch = start_server(spec.ready->port, "200");
  EXPECT_TRUE(launch) << error.message;
  EXPECT_FALSE(start("exec sleep 100"));
  EXPECT_EQ(error.message, "something answers at localhost:" + std::to_string(spec.ready->port) + " already");
}

TEST_F(LaunchTest, ReadyByUrl) {
  spec.ready->kind = Kind::kUrl;
  int port = free_port();
  spec.ready->url = "http://127.0.0.1:" + std::to_string(port) + "/health";
  EXPECT_TRUE(start_server(port, "503, 500, 404")) << error.message;
  spec.timeout = ms(1000);
  EXPECT_FALSE(start_server(port, "503"));
  EXPECT_EQ(error.message, "the launched application was not ready after 1s (timeout_ms): " + spec.ready->url + ": HTTP 503");
  EXPECT_FALSE(start("exec sleep 100"));
  EXPECT_NE(error.message.find("Connection refused"), std::string::npos) << error.message;
}

TEST_F(LaunchTest, WhatCannotStart) {
  spec.cmd = {"./no-such-program"};
  EXPECT_FALSE(begin());
  EXPECT_EQ(error.message, "cannot start ./no-such-program: No such file or directory");
  secrets.add("s3cret-value");
  EXPECT_FALSE(start("echo one; echo 'key s3cret-value \033[31m' >&2; printf last; exit 3"));
  EXPECT_EQ(error.message, "the launched application exited with code 3 before it was ready");
  EXPECT_NE(error.hint.find("key *** \\x1b[31m"), std::string::npos) << error.hint;
  EXPECT_NE(error.hint.find("last"), std::string::npos) << error.hint;
  EXPECT_FALSE(start("kill -9 $$"));
  EXPECT_EQ(error.message, "the launched application was ended by signal 9 before it was ready");
}

TEST_F(LaunchTest, ItsEnvironmentAndDirectory) {
  env.variables["FROM"] = "outside";
  spec.env = {{"EXTRA", "inside"}};
  spec.ready->pattern = "^ready outside inside " + std::filesystem::canonical(dir.path()).string() + "$";
  EXPECT_TRUE(start("echo ready $FROM $EXTRA $(pwd -P); exec sleep 100")) << error.hint;
}

TEST_F(LaunchTest, TheWholeGroupIsStopped) {
  auto launch = start("sleep 100 & echo $! > child; echo $$ > leader; echo ready; wait");
  ASSERT_TRUE(launch) << error.message;
  pid_t child = noted("child");
  pid_t leader = noted("leader");
  EXPECT_TRUE(is_alive(child));
  launch.reset();
  EXPECT_FALSE(is_alive(leader));
  EXPECT_TRUE(eventually([&] { return !is_alive(child); }));
}

TEST_F(LaunchTest, WhatWillNotStopIsKilled) {
  spec.grace = ms(100);
  auto launch = start("trap '' TERM; echo $$ > leader; echo ready; while :; do sleep 0.05; done");
  ASSERT_TRUE(launch) << error.message;
  pid_t leader = noted("leader");
  launch.reset();
  EXPECT_FALSE(is_alive(leader));
}

TEST_F(LaunchTest, ASignalWhileItStopsEndsTheGrace) {
  spec.grace = std::chrono::seconds(1000);
  auto launch = start("trap '' TERM; echo ready; while :; do sleep 0.05; done");
  ASSERT_TRUE(launch) << error.message;
  std::jthread impatient([&] {
    std::this_thread::sleep_for(ms(100));
    EXPECT_EQ(::write(signals[1], "\2", 1), 1);
  });
  launch.reset();
}

TEST_F(LaunchTest, ASignalWhileItStartsIsLeftForTheRunner) {
  EXPECT_EQ(::write(signals[1], "\2", 1), 1);
  auto launch = start("exec sleep 100");
  EXPECT_TRUE(launch) << error.message;
  char number = 0;
  EXPECT_EQ(::read(signals[0], &number, 1), 1);
}

TEST_F(LaunchTest, FloodsAreDrained) {
  std::atomic<size_t> lines = 0;
  log = [&](std::string_view) { ++lines; };
  auto launch = start("echo ready; head -c 200000000 /dev/zero; yes a line | head -c 20000000; echo done > done; exec sleep 100");
  ASSERT_TRUE(launch) << error.message;
  EXPECT_TRUE(eventually([&] { return testing::read_file(dir / "done") == "done\n"; }));
  EXPECT_TRUE(eventually([&] { return lines > 2'000'000u; })) << lines;
}

TEST_F(LaunchTest, ADeathIsToldWhereItMatters) {
  auto launch = start("echo ready; while [ ! -e stop ]; do sleep 0.01; done; echo out of memory >&2; exit 7");
  ASSERT_TRUE(launch) << error.message;
  CaseResult early = broken(Outcome::kTransportError);
  launch->explain(early);
  EXPECT_EQ(early.error, "it broke");
  testing::write_file(dir / "stop", "");
  CaseResult late;
  EXPECT_TRUE(eventually([&] {
    late = broken(Outcome::kTransportError);
    launch->explain(late);
    return late.error != "it broke";
  }));
  EXPECT_EQ(late.error, "it broke; the launched application exited with code 7: ready | out of memory");
  for (CaseResult other : {broken(Outcome::kSuccess, Status::kFailed), broken(Outcome::kRunError), broken(Outcome::kSuccess)}) {
    launch->explain(other);
    EXPECT_EQ(other.error, "it broke");
  }
}

}  // namespace
}  // namespace assay
