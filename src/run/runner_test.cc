#include "run/runner.h"

#include <signal.h>

#include <atomic>

#include "support/run_fixture.h"

namespace assay {
namespace {

using test::kLong;
using test::ms;
using test::Peer;
using test::RawServer;

class RunnerTest : public test::RunTest {};

TEST_F(RunnerTest, RunsNothingToo) {
  target(test::refusing_url());
  EXPECT_TRUE(run().empty());
}

TEST_F(RunnerTest, OneAtATimeFinishesInOrder) {
  agent(R"({"steps":[{"text":"hi"}]})");
  for (int i = 0; i < 5; ++i)
    test(std::to_string(i), fmt::format("name: t{}\nturns: [{{user: hi}}]\n", i));
  auto results = run();
  EXPECT_EQ(finished, (std::vector<size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(started, 5u);
  EXPECT_EQ(results[3].name, "t3");
}

TEST_F(RunnerTest, SkippedCasesSayWhyAndDoNotStart) {
  agent(R"({"steps":[{"text":"hi"}]})");
  test("a", "name: a\nskip: broken today\nturns: [{user: hi}]\nteardown:\n  - cmd: [\"touch\", \"after\"]\n");
  test("b", "name: b\nskip: false\nturns: [{user: hi}]\n");
  auto results = run();
  EXPECT_EQ(results[0].status, Status::kSkipped);
  EXPECT_EQ(results[0].error, "broken today");
  EXPECT_EQ(results[0].name, "a");
  EXPECT_EQ(results[1].status, Status::kPassed);
  EXPECT_EQ(started, 1u);
  EXPECT_FALSE(std::filesystem::exists(dir / "after"));
}

TEST_F(RunnerTest, FailFastCancelsWhatRunsAndStartsNothingMore) {
  agent(R"({"when":{"message":"slow"},"steps":[{"fault":"stall"}]},{"steps":[{"wait_ms":200},{"text":"hi"}]})");
  test("0-slow", "name: s\nturns: [{user: slow}]\nteardown:\n  - cmd: [\"touch\", \"after\"]\n");
  test("1-fails", "name: f\nturns: [{user: hi, assert: {text: {must_match: no}}}]\n");
  test("2-never", "name: n\nturns: [{user: hi}]\n");
  options.parallel = 2;
  options.fail_fast = true;
  auto results = run();
  EXPECT_EQ(results[0].status, Status::kSkipped);
  EXPECT_EQ(results[0].error, "cancelled by --fail-fast: another case did not pass");
  EXPECT_EQ(results[1].status, Status::kFailed);
  EXPECT_EQ(results[2].status, Status::kSkipped);
  EXPECT_EQ(results[2].error, "not started: --fail-fast, another case did not pass");
  EXPECT_TRUE(std::filesystem::exists(dir / "after"));
}

TEST_F(RunnerTest, AnInterruptCancelsAndTearsDown) {
  agent(R"({"steps":[{"fault":"stall"}]})");
  test("0", "name: a\nturns: [{user: hi}]\nteardown:\n  - cmd: [\"touch\", \"after\"]\n");
  test("1", "name: b\nturns: [{user: hi}]\n");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  env.signal_fd = ends[0];
  std::thread interrupt([&] {
    std::this_thread::sleep_for(ms(200));
    char number = SIGTERM;
    EXPECT_EQ(::write(ends[1], &number, 1), 1);
  });
  auto results = run();
  interrupt.join();
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_EQ(signal, SIGTERM);
  EXPECT_EQ(results[0].status, Status::kSkipped);
  EXPECT_EQ(results[0].error, "interrupted while it ran");
  EXPECT_EQ(results[1].error, "not started: the run was interrupted");
  EXPECT_TRUE(std::filesystem::exists(dir / "after"));
}

TEST_F(RunnerTest, ThreeHundredAtATime) {
  constexpr size_t kCount = 300;
  agent(R"({"steps":[{"wait_ms":100},{"text":"hello {{message}}","chunk":3}]})");
  for (size_t i = 0; i < kCount; ++i)
    test(fmt::format("{:03}", i), fmt::format("name: t{0}\nturns: [{{user: u{0}}}, {{user: v{0}}}]\n", i));
  options.parallel = kCount;
  Time start = clock.now();
  auto results = run();
  EXPECT_LT(clock.now() - start, kLong);
  EXPECT_EQ(started, kCount);
  EXPECT_EQ(finished.size(), kCount);
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(results[i].status, Status::kPassed) << results[i].error;
    EXPECT_EQ(results[i].index, i);
    EXPECT_EQ(results[i].name, fmt::format("t{}", i));
    ASSERT_EQ(results[i].transcript.turns.size(), 2u);
    EXPECT_EQ(results[i].transcript.turns[1].input, fmt::format("v{}", i));
    EXPECT_EQ(results[i].messages_count, 4);
  }
}

TEST_F(RunnerTest, KeepsToItsRate) {
  agent(R"({"steps":[{"text":"hi"}]})", "max_per_second: 50\n");
  for (int i = 0; i < 5; ++i)
    test(std::to_string(i), "name: t\nturns: [{user: a}, {user: b}]\n");
  options.parallel = 5;
  Time start = clock.now();
  run();
  EXPECT_GE(clock.now() - start, ms(9 * 20 - 1));
}

TEST_F(RunnerTest, A429SlowsTheRunInsteadOfFailingIt) {
  std::atomic<int> requests = 0;
  RawServer raw([&](Peer& peer) {
    if (peer.read_request().empty()) return;
    if (++requests == 1) return peer.answer("429 Slow", "", "Retry-After: 1\r\nConnection: close\r\n");
    peer.answer("200 OK", "data: {\"type\":\"RUN_STARTED\"}\n\ndata: {\"type\":\"RUN_FINISHED\"}\n\n", "Connection: close\r\n");
  });
  assay::testing::write_file(dir / "assay.config.yaml", "target: { endpoint: \"" + raw.url() + "\" }\n");
  test("0", "name: a\nturns: [{user: hi}, {user: ho}]\n");
  auto results = run();
  EXPECT_EQ(results[0].status, Status::kPassed) << results[0].error;
  EXPECT_EQ(requests, 3);
  const auto& turns = results[0].transcript.turns;
  EXPECT_LT(turns[0].end - turns[0].start, ms(1000));  // of the attempt that was served
}

}  // namespace
}  // namespace assay
