#include "net/sse.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace assay {
namespace {

using Status = SseParser::Status;

struct Events final : SseSink {
  bool on_data(std::string_view data) override {
    all.emplace_back(data);
    return all.size() < most;
  }
  std::vector<std::string> all;
  size_t most = SIZE_MAX;
};

// Everything that can be seen of a stream that was read.
struct Reading {
  std::vector<std::string> events;
  Status status = Status::kOk;
  bool carriage_return = false;
  bool unterminated = false;
  bool operator==(const Reading&) const = default;
};

Reading read(const std::vector<std::string>& pieces, size_t limit = 1000, size_t most = SIZE_MAX) {
  SseParser parser(limit);
  Events events;
  events.most = most;
  Reading out;
  for (const auto& piece : pieces) {
    std::string copy = piece;  // gone after the call: what is kept must be a copy
    out.status = parser.feed(copy, events);
    copy.assign(copy.size(), '#');
    if (out.status != Status::kOk) break;
  }
  if (out.status == Status::kOk) out.status = parser.finish(events);
  out.events = events.all;
  out.carriage_return = parser.saw_carriage_return();
  out.unterminated = parser.last_was_unterminated();
  return out;
}

using Texts = std::vector<std::string>;
Texts events(const std::string& bytes) { return read({bytes}).events; }

TEST(Sse, EndsLinesWithLfCrAndCrlf) {
  for (std::string end : {"\n", "\r", "\r\n"}) {
    Reading reading = read({"data: a" + end + end + "data: b" + end + end});
    EXPECT_EQ(reading.events, (Texts{"a", "b"}));
    EXPECT_EQ(reading.carriage_return, end != "\n");
    EXPECT_FALSE(reading.unterminated);
  }
  EXPECT_EQ(events("data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\r"), (Texts{"a", "b", "c", "d"}));
}

TEST(Sse, ACrlfCutInTheMiddleIsOneLineEnd) {
  EXPECT_EQ(read({"data: a\r", "\ndata: b\r", "\n\r", "\n"}).events, (Texts{"a\nb"}));
  EXPECT_EQ(read({"data: a\r", "data: b\r", "\r"}).events, (Texts{"a\nb"}));
}

TEST(Sse, IgnoresCommentsAndOtherFields) {
  EXPECT_EQ(events(": ping\nevent: x\nid: 7\nretry: 5\ndata: a\n:\nfoo\ndatax: no\n data: no\n\n: only a comment\n\n"),
            (Texts{"a"}));
}

TEST(Sse, TakesOneBlankOffAndJoinsLines) {
  EXPECT_EQ(events("data:a\n\ndata:  b \n\n"), (Texts{"a", " b "}));
  EXPECT_EQ(events("data: a\ndata\ndata:\ndata: b\n\n"), (Texts{"a\n\n\nb"}));
  EXPECT_EQ(events("data: a: b\n\n"), (Texts{"a: b"}));
}

TEST(Sse, AnEventWithoutDataIsNone) {
  EXPECT_EQ(events("data\n\ndata:\n\ndata: \n\n\n\nevent: x\n\n"), Texts{});
  EXPECT_EQ(events("data:\ndata:\n\n"), (Texts{"\n"}));
}

TEST(Sse, SkipsAByteOrderMarkAtTheStartOnly) {
  EXPECT_EQ(events("\xEF\xBB\xBF"
                   "data: a\n\n\xEF\xBB\xBF"
                   "data: b\n\n"),
            (Texts{"a"}));
  EXPECT_EQ(read({"\xEF", "\xBB",
                  "\xBF"
                  "data: a\n\n"})
                .events,
            (Texts{"a"}));
}

TEST(Sse, KeepsUnicodeAndLineSeparators) {
  EXPECT_EQ(events("data: \xE2\x80\xA8\xC3\xB6\xFF\n\n"), (Texts{"\xE2\x80\xA8\xC3\xB6\xFF"}));
  EXPECT_EQ(read({"data: \xC3", "\xB6\n\n"}).events, (Texts{"\xC3\xB6"}));
}

TEST(Sse, ALastEventWithoutItsBlankLineCounts) {
  for (std::string stream : {"data: a\n\ndata: b", "data: a\n\ndata: b\n", "data: a\n\ndata: b\r"}) {
    Reading reading = read({stream});
    EXPECT_EQ(reading.events, (Texts{"a", "b"})) << stream;
    EXPECT_TRUE(reading.unterminated) << stream;
  }
  for (std::string stream : {"", "data: a\n\n", "data: a\n\n: bye", "data: a\n\ndata:\n", "data: a\n\nid: 1"})
    EXPECT_FALSE(read({stream}).unterminated) << stream;
}

TEST(Sse, StopsWhenTheSinkHasEnough) {
  Reading reading = read({"data: a\n\ndata: b\n\ndata: c\n\n"}, 1000, 2);
  EXPECT_EQ(reading.events, (Texts{"a", "b"}));
  EXPECT_EQ(reading.status, Status::kStopped);
  EXPECT_EQ(read({"data: a\n\ndata: b"}, 1000, 2).status, Status::kStopped);
}

TEST(Sse, LimitsAnEventWithTheNameOfItsField) {
  EXPECT_EQ(read({"data: 4567\n\n"}, 10).status, Status::kOk);
  EXPECT_EQ(read({"data: 45678\n\n"}, 10).status, Status::kTooLong);
  EXPECT_EQ(read({"data: 456", "78\n\n"}, 10).status, Status::kTooLong);
  EXPECT_EQ(read({"data: 45678"}, 10).status, Status::kTooLong);
  EXPECT_EQ(read({"data:1\ndata:2\ndata:3\n\n"}, 10).status, Status::kOk);
  EXPECT_EQ(read({"data:1\ndata:2\ndata:3\ndata:4\n\n"}, 10).status, Status::kTooLong);
  EXPECT_EQ(read({"data:123\ndata:45678\n\n"}, 10).status, Status::kTooLong);
  EXPECT_EQ(read({": a long comment\n\n"}, 10).status, Status::kTooLong);
}

TEST(Sse, TheEventsBeforeOneThatIsTooLongCount) { EXPECT_EQ(read({"data: a\n\ndata: 0123456789\n\n"}, 10).events, (Texts{"a"})); }

TEST(Sse, MayBeFinishedAfterItRefused) {
  SseParser parser(10);
  Events sink;
  {
    std::string piece = "data: a\ndata: 0123456789\n\n";
    EXPECT_EQ(parser.feed(piece, sink), Status::kTooLong);
  }
  EXPECT_EQ(parser.finish(sink), Status::kOk);
  EXPECT_EQ(sink.all, (Texts{"a"}));
}

TEST(Sse, AnySplitReadsTheSame) {
  const Texts words = {"data: ", "data:",        "data",     "{\"a\":1}", "x",    " ",  ":",    ": c",
                       "id: 1",  "\xEF\xBB\xBF", "\xC3\xB6", "\n",        "\n\n", "\r", "\r\n", "\r\n\r\n"};
  bool same = rc::check("any split of the bytes gives the same events and flags", [&] {
    std::string bytes;
    for (const auto& word : *rc::gen::container<Texts>(rc::gen::elementOf(words)))
      bytes += word;
    size_t limit = *rc::gen::element<size_t>(8, 20, 1000);
    size_t most = *rc::gen::element<size_t>(2, SIZE_MAX);
    Texts pieces;
    for (size_t at = 0; at < bytes.size();) {
      size_t n = *rc::gen::inRange<size_t>(1, std::min<size_t>(bytes.size() - at, 9) + 1);
      pieces.push_back(bytes.substr(at, n));
      at += n;
    }
    RC_ASSERT(read(pieces, limit, most) == read({bytes}, limit, most));
  });
  EXPECT_TRUE(same);
}

}  // namespace
}  // namespace assay
