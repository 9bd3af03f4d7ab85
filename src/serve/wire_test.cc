#include "serve/wire.h"

#include <gtest/gtest.h>
#include <stdio.h>

#include "base/text.h"
#include "support/files.h"
#include "support/serve_support.h"

namespace assay {
namespace {

using test::ask;
using test::Client;
using test::Response;
using test::run_input;
using test::serve_rule;

std::string body_of(std::string_view more, std::string_view steps = R"([{"event":{"type":"X"}}])") {
  auto server = serve_rule(R"({"autorun":false,"steps":)" + std::string(steps) + "," + std::string(more) + "}");
  return ask(*server, run_input("hi")).body;
}

TEST(Wire, LineEndsCommentsAndEdges) {
  EXPECT_EQ(body_of(R"("newline":"lf")"), "data: {\"type\":\"X\"}\n\n");
  EXPECT_EQ(body_of(R"("newline":"crlf")"), "data: {\"type\":\"X\"}\r\n\r\n");
  EXPECT_EQ(body_of(R"("crlf":true)"), "data: {\"type\":\"X\"}\r\n\r\n");
  EXPECT_EQ(body_of(R"("newline":"cr")"), "data: {\"type\":\"X\"}\r\r");
  EXPECT_EQ(body_of(R"("last_blank":false)"), "data: {\"type\":\"X\"}\n");
  EXPECT_EQ(body_of(R"("last_blank":false,"newline":"crlf")"), "data: {\"type\":\"X\"}\r\n");
  EXPECT_EQ(body_of(R"("bom":true)"),
            "\xEF\xBB\xBF"
            "data: {\"type\":\"X\"}\n\n");
  EXPECT_EQ(body_of(R"("comments":true)"), ": keep-alive\n\ndata: {\"type\":\"X\"}\n\n");
}

// The sizes of the HTTP chunks: one for each write.
std::vector<size_t> chunk_sizes(const ScriptServer& server, std::string_view run = "r1") {
  Client client(server.port());
  client.post("/agents/a", run_input("hi", "t1", run));
  client.read_until("\r\n0\r\n\r\n");
  std::string_view rest = client.input();
  rest.remove_prefix(rest.find("\r\n\r\n") + 4);
  std::vector<size_t> out;
  while (!rest.empty()) {
    size_t size = std::stoul(std::string(rest.substr(0, rest.find("\r\n"))), nullptr, 16);
    rest.remove_prefix(std::min(rest.size(), rest.find("\r\n") + 2 + size + 2));
    out.push_back(size);
  }
  return out;
}

TEST(Wire, SplitsAnywhere) {
  std::string steps = R"([{"text":"aö🌍b","chunk":2,"delay_ms":1},{"wait_ms":1}])";
  std::string whole = body_of(R"("newline":"lf")", steps);
  for (std::string_view split : {"1", "3", "1000000", "\"random\""})
    EXPECT_EQ(body_of(R"("split":)" + std::string(split), steps), whole);
  auto server = serve_rule(R"({"autorun":false,"split":7,"steps":[{"raw":"0123456789abcdefghi\n\n"}]})");
  EXPECT_EQ(chunk_sizes(*server), (std::vector<size_t>{7, 7, 7, 0}));
}

TEST(Wire, RandomSplitsFollowTheSeedAndTheRequest) {
  constexpr std::string_view kPlan =
      R"({"agents":{"a":{"rules":[{"split":"random","steps":[{"text":"0123456789012345678901234567890123456789"}]}]}}})";
  auto one = test::serve(kPlan);
  auto two = test::serve(kPlan);
  ServeOptions options;
  options.seed = 7;
  auto other = test::serve(kPlan, options);
  auto sizes = chunk_sizes(*one);
  EXPECT_GT(sizes.size(), 5u);
  EXPECT_NE(chunk_sizes(*two, "r2"), sizes);
  EXPECT_EQ(chunk_sizes(*two), sizes);
  EXPECT_NE(chunk_sizes(*other), sizes);
}

TEST(Wire, FaultsComeBehindTheLastByte) {
  auto server = serve_rule(R"({"split":5,"steps":[{"text":"Half an ans"},{"fault":"cut"}]})");
  Response cut = ask(*server, run_input("hi"));
  EXPECT_FALSE(cut.complete);
  EXPECT_TRUE(cut.body.ends_with("\"TEXT_MESSAGE_END\",\"messageId\":\"m-1-0-0\"}\n\n")) << cut.body;
}

std::string gunzip(const std::string& bytes) {
  testing::TempDir folder;
  std::string path = folder / "body.gz";
  testing::write_file(path, bytes);
  std::string out;
  FILE* pipe = ::popen(("gzip -dc " + path).c_str(), "r");
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe))
    out.append(buffer, n);
  return ::pclose(pipe) == 0 ? out : "gzip: not in order";
}

TEST(Wire, GzipIsReadByGzip) {
  std::string steps = R"([{"text":"0123456789","chunk":1,"delay_ms":1},{"text":")" + std::string(100'000, 'x') + R"("}])";
  std::string plain = body_of(R"("newline":"lf")", steps);
  EXPECT_EQ(gunzip(body_of(R"("gzip":true)", steps)), plain);
  EXPECT_EQ(gunzip(body_of(R"("gzip":true,"split":3)", steps)), plain);
  auto server = serve_rule(R"({"gzip":true,"steps":[]})");
  EXPECT_NE(ask(*server, run_input("hi")).head.find("Content-Encoding: gzip\r\n"), std::string::npos);
}

TEST(Wire, RedirectsAndOwnIds) {
  auto there = serve_rule(R"({"redirect":"/agents/b"})");
  Response moved = ask(*there, run_input("hi"));
  EXPECT_EQ(moved.status, 307);
  EXPECT_NE(moved.head.find("Location: /agents/b\r\n"), std::string::npos);
  EXPECT_EQ(ask(*serve_rule(R"({"redirect":{"to":"http://x/","status":308}})"), run_input("hi")).status, 308);
  auto own = serve_rule(R"({"ids":"own","steps":[]})");
  EXPECT_EQ(test::events_of(ask(*own, run_input("hi"))), R"({"type":"RUN_STARTED","threadId":"own-thread","runId":"own-run-1-0"}
{"type":"RUN_FINISHED","threadId":"own-thread","runId":"own-run-1-0"}
)");
}

TEST(Wire, MistakesAreNoted) {
  Reader reader;
  read_serve_plan(reader, test::node_from(R"({"agents":{"a":{"rules":[
    {"steps":[],"split":0,"newline":"lfcr","bom":1},{"steps":[],"split":"randm","ids":"mine"},
    {"redirect":"a\r\nb"},{"redirect":{"status":200}},{"redirect":"/","http":{},"violate":"schema","gzip":true}]}}})"));
  std::vector<std::string> out;
  for (const auto& error : reader.errors())
    out.push_back(error.message);
  EXPECT_EQ(join(out, "\n"),
            "`split` must be a whole number, from 1 to 1048576\n"
            "`newline` cannot be \"lfcr\"\n"
            "`bom` must be true or false, not a number\n"
            "`split` cannot be \"randm\"\n"
            "`ids` cannot be \"mine\"\n"
            "a header is one line of text\n"
            "`status` must be a whole number, from 300 to 399\n"
            "`redirect` needs `to`\n"
            "`redirect` and `http` exclude each other\n"
            "`violate` goes with `steps` only\n"
            "`gzip` goes with `steps` only");
}

}  // namespace
}  // namespace assay
