#include "net/process.h"

#include <signal.h>

#include <filesystem>
#include <thread>

#include "support/files.h"
#include "support/loop_support.h"

namespace assay {
namespace {

using Kind = ProcessEnd::Kind;
using test::kLong;
using test::ms;

class ProcessTest : public test::LoopTest {
 protected:
  ProcessEnd start(std::vector<std::string> argv, CancelToken token = {}) {
    ProcessSpec spec{std::move(argv), {"PATH=/usr/bin:/bin", "COLOUR=dark red"}, dir.path(), limit};
    return run(groups.run(std::move(spec), std::move(token)));
  }
  ProcessEnd sh(const std::string& script, CancelToken token = {}) { return start({"sh", "-c", script}, std::move(token)); }
  // A process whose number a command wrote into a file.
  pid_t noted(const std::string& file) {
    for (int i = 0; i < 3000 && assay::testing::read_file(dir / file).empty(); ++i)
      std::this_thread::sleep_for(ms(10));
    return std::stoi(assay::testing::read_file(dir / file));
  }
  static bool dies(pid_t pid) {
    for (int i = 0; i < 3000 && is_alive(pid); ++i)
      std::this_thread::sleep_for(ms(10));
    return !is_alive(pid);
  }
  // A zombie that its new parent has not fetched yet is dead.
  static bool is_alive(pid_t pid) {
    std::string stat = assay::testing::read_file("/proc/" + std::to_string(pid) + "/stat");
    return !stat.empty() && stat.find(") Z ") == std::string::npos;
  }

  assay::testing::TempDir dir;
  size_t limit = 1 << 20;
  ProcessTable table;
  ProcessGroups groups{loop, table};
};

TEST_F(ProcessTest, TellsExitCodesAndOutput) {
  ProcessEnd end = sh("echo out; echo err >&2; exit 7");
  EXPECT_EQ(end.kind, Kind::kExited);
  EXPECT_EQ(end.code, 7);
  EXPECT_EQ(end.out, "out\n");
  EXPECT_EQ(end.err, "err\n");
  EXPECT_EQ(start({"true"}).code, 0);
}

TEST_F(ProcessTest, TellsSignals) {
  ProcessEnd end = sh("kill -USR1 $$");
  EXPECT_EQ(end.kind, Kind::kSignalled);
  EXPECT_EQ(end.code, SIGUSR1);
}

TEST_F(ProcessTest, SaysWhatCannotBeStarted) {
  ProcessEnd end = start({"no-such-program-here"});
  EXPECT_EQ(end.kind, Kind::kNotStarted);
  EXPECT_EQ(end.error, "cannot start no-such-program-here: No such file or directory");
  assay::testing::write_file(dir / "plain", "not executable");
  EXPECT_EQ(start({"./plain"}).error, "cannot start ./plain: Permission denied");
}

TEST_F(ProcessTest, RunsInItsDirectoryWithItsEnvironmentAndNoInput) {
  EXPECT_EQ(sh("pwd").out, std::filesystem::canonical(dir.path()).string() + "\n");
  EXPECT_EQ(start({"env"}).out, "PATH=/usr/bin:/bin\nCOLOUR=dark red\n");
  EXPECT_EQ(start({"cat"}).out, "");
  EXPECT_EQ(start({"printf", "%s|", "a b", "", "$HOME;*"}).out, "a b||$HOME;*|");
}

TEST_F(ProcessTest, ReadsMoreThanAPipeHolds) {
  EXPECT_EQ(sh("head -c 900000 /dev/zero; head -c 800000 /dev/zero >&2").out.size(), 900'000u);
}

TEST_F(ProcessTest, EndsAFlood) {
  limit = 1000;
  for (std::string script : {"exec yes", "exec yes >&2", "head -c 5000 /dev/zero"}) {
    ProcessEnd end = sh(script);
    EXPECT_EQ(end.kind, Kind::kOutputTooLong) << script;
  }
  EXPECT_EQ(sh("head -c 1000 /dev/zero").kind, Kind::kExited);
}

TEST_F(ProcessTest, ACancelledCommandIsEnded) {
  CancelToken token;
  Deadline deadline(loop, ms(30), token);
  Time start_time = clock.now();
  ProcessEnd end = sh("echo begun; exec sleep 1000", token);
  EXPECT_EQ(end.kind, Kind::kCancelled);
  EXPECT_EQ(end.code, SIGTERM);
  EXPECT_EQ(end.out, "begun\n");
  EXPECT_LT(clock.now() - start_time, kLong);
  EXPECT_EQ(sh("exec sleep 1000", token).kind, Kind::kCancelled);  // cancelled before
}

TEST_F(ProcessTest, OneThatIgnoresTheTermSignalIsKilled) {
  CancelToken token;
  Deadline deadline(loop, ms(100), token);
  ProcessEnd end = sh("trap '' TERM; echo $$ > me; while :; do sleep 0.05; done", token);
  EXPECT_EQ(end.kind, Kind::kCancelled);
  EXPECT_TRUE(dies(noted("me")));
}

TEST_F(ProcessTest, IsDoneWhenTheCommandExitsThoughAChildHoldsThePipe) {
  Time start_time = clock.now();
  ProcessEnd end = sh("sleep 1000 & echo $! > child; echo done");
  EXPECT_EQ(end.kind, Kind::kExited);
  EXPECT_EQ(end.out, "done\n");
  EXPECT_LT(clock.now() - start_time, kLong);
  pid_t child = noted("child");
  EXPECT_TRUE(is_alive(child));  // it lives until the case ends
  run(groups.end());
  EXPECT_TRUE(dies(child));
}

TEST_F(ProcessTest, EndKillsWhatIgnoresTheTermSignal) {
  sh("(trap '' TERM; echo x > ready; while :; do sleep 0.05; done) & echo $! > child; until [ -s ready ]; do sleep 0.01; done");
  run(groups.end());
  EXPECT_TRUE(dies(noted("child")));
  run(groups.end());
}

TEST_F(ProcessTest, TheDestructorAndTheTableKillToo) {
  ProcessTable all;
  {
    ProcessGroups mine(loop, all);
    run(mine.run({{"sh", "-c", "sleep 1000 & echo $! > child"}, {"PATH=/usr/bin:/bin"}, dir.path()}, CancelToken()));
  }
  EXPECT_TRUE(dies(noted("child")));
  sh("sleep 1000 & echo $! > other");
  table.kill_all();
  EXPECT_TRUE(dies(noted("other")));
}

TEST_F(ProcessTest, ChildrenStartWithACleanSignalState) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto old = signal(SIGPIPE, SIG_IGN);
  std::string status = start({"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}).out;
  signal(SIGPIPE, old);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_NE(status.find("SigBlk:\t0000000000000000"), std::string::npos) << status;
  // What assay itself changes is undone; what it was started with (nohup) stays.
  uint64_t ours = 0;
  for (int number : {SIGPIPE, SIGINT, SIGTERM})
    ours |= uint64_t{1} << (number - 1);
  uint64_t ignored = std::stoull(status.substr(status.find("SigIgn:") + 8), nullptr, 16);
  EXPECT_EQ(ignored & ours, 0u) << status;
}

TEST_F(ProcessTest, ManyAtATime) {
  int good = 0;
  auto one = [&](ProcessSpec spec, std::string expected) -> Task<void> {
    ProcessEnd end = co_await groups.run(std::move(spec), CancelToken());
    good += end.out == expected;
  };
  for (int i = 0; i < 50; ++i)
    loop.spawn(one({{"echo", std::to_string(i)}, {"PATH=/usr/bin:/bin"}, "/"}, std::to_string(i) + "\n"));
  turn();
  EXPECT_EQ(good, 50);
}

}  // namespace
}  // namespace assay
