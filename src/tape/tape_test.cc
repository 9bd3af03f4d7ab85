#include "tape/tape.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Case case_of(std::string file) {
  Case c;
  c.file = std::move(file);
  return c;
}

TEST(Tape, NamesStayInTheFolder) {
  EXPECT_EQ(tape_directory("rec", case_of("a/b.test.yaml")), "rec/a/b.test.yaml");
  EXPECT_EQ(tape_directory("rec", case_of("/etc/x.test.yaml")), "rec/etc/x.test.yaml");
  EXPECT_EQ(tape_directory("rec", case_of("../../x/./y.test.yaml")), "rec/_/_/x/_/y.test.yaml");
  EXPECT_EQ(tape_directory("rec", case_of("a\nb\x7f.test.yaml")), "rec/a_b_.test.yaml");
  EXPECT_LT(tape_directory("rec", case_of(std::string(4000, 'x'))).size(), 255u);
  EXPECT_NE(tape_directory("rec", case_of(std::string(4000, 'x'))), tape_directory("rec", case_of(std::string(4001, 'x'))));
}

TEST(Tape, ALineIsTheEventWithItsTimeBehindIt) {
  Redactor none;
  Time at = read_tape_time(1700000000000.123);
  EXPECT_EQ(tape_line(R"({"type":"A","n":1.0,"big":12345678901234567890123})", at, none),
            "{\"type\":\"A\",\"n\":1.0,\"big\":12345678901234567890123,\"_ts\":1700000000000.123}\n");
  EXPECT_EQ(tape_line("{}", at, none), "{\"_ts\":1700000000000.123}\n");
  EXPECT_EQ(tape_line("{\"a\":\n1}\r", at, none), "{\"a\": 1,\"_ts\":1700000000000.123}\n");
  EXPECT_EQ(tape_line("[DONE]", at, none), "{\"_raw\":\"[DONE]\",\"_ts\":1700000000000.123}\n");
  EXPECT_EQ(tape_time(Time(std::chrono::milliseconds(1700000000000))), "1700000000000");
}

TEST(Tape, AnAgentCannotSpeakForTheClient) {
  Redactor none;
  EXPECT_EQ(tape_line(R"({"type":"A","_from":"client"})", Time(), none),
            R"({"_raw":"{\"type\":\"A\",\"_from\":\"client\"}","_ts":0})"
            "\n");
  EXPECT_EQ(tape_answer_line({{"toolCallId", "c"}, {"content", "x"}}, Time(), none),
            R"({"toolCallId":"c","content":"x","_from":"client","_ts":0})"
            "\n");
}

TEST(Tape, SecretsAreGoneBeforeALineIsWritten) {
  Redactor secrets;
  secrets.add("top\"secret\\value");
  EXPECT_EQ(tape_line(R"({"delta":"it is top\"secret\\value","n":1})", Time(), secrets),
            "{\"delta\":\"it is ***\",\"n\":1,\"_ts\":0}\n");
  EXPECT_EQ(tape_line("top\"secret\\value", Time(), secrets), "{\"_raw\":\"***\",\"_ts\":0}\n");
}

TEST(Tape, MetaIsReadBackAsItWas) {
  TapeMeta meta;
  meta.test = "a.test.yaml";
  meta.ids = {"t", "r"};
  meta.hooks = {{false, "exit code 1", std::chrono::milliseconds(3)}};
  TapeRound round;
  round.request = "abc";
  round.start = read_tape_time(1700000000000.001);
  round.events = 7;
  round.end.kind = RunEnd::Kind::kHttpError;
  round.end.message = "HTTP 500";
  round.end.at = read_tape_time(1700000000001.999);
  round.end.status = 500;
  round.end.saw_carriage_return = true;
  meta.turns.push_back({{round}});
  auto back = read_tape_meta(to_compact(tape_meta_json(meta)));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_compact(tape_meta_json(*back)), to_compact(tape_meta_json(meta)));
}

TEST(Tape, MetaThatIsNotOurs) {
  for (const char* text :
       {"", "[]", "{}", R"({"version":2,"ids":[],"turns":[]})", R"({"version":1,"ids":[1],"turns":[]})",
        R"({"version":1,"ids":[],"turns":[{}]})", R"({"version":1,"ids":[],"turns":[{"rounds":[{"events":-1}]}]})"})
    EXPECT_FALSE(read_tape_meta(text)) << text;
}

TEST(Tape, TheHashIsOfWhatIsAskedNotOfIds) {
  Redactor none;
  Request a;
  a.run_id = "1";
  a.messages = {{{"id", "x"}, {"role", "user"}, {"content", "hi"}}};
  Request b = a;
  b.run_id = "2";
  b.messages[0]["id"] = "y";
  EXPECT_EQ(request_hash(a, none), request_hash(b, none));
  b.messages[0]["content"] = "ho";
  EXPECT_NE(request_hash(a, none), request_hash(b, none));
}

}  // namespace
}  // namespace assay
