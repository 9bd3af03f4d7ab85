#include "base/text.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Text, ControlCharactersAreShownNotObeyed) {
  EXPECT_EQ(visible("a\x1b[31mb\nc"), "a\\x1b[31mb\\nc");
  EXPECT_EQ(visible("a\nb", Newlines::kKeep), "a\nb");
  EXPECT_EQ(visible("x\u202ey"), "x\\u202ey");
  EXPECT_EQ(visible("\xff\xc2"), "\\xff\\xc2");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\x9b31m");
  EXPECT_EQ(visible("größe 日本 🙂"), "größe 日本 🙂");
}

TEST(Text, InvalidUtf8IsReplaced) {
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_FALSE(is_valid_utf8("\xed\xa0\x80"));  // a surrogate
  EXPECT_FALSE(is_valid_utf8("\xc0\xaf"));      // overlong
}

TEST(Text, ShortenCutsBetweenCharacters) {
  EXPECT_EQ(shorten("größe", 3), "gr…");
  EXPECT_EQ(shorten("abc", 3), "abc");
}

TEST(Text, NearestFindsTypingMistakesOnly) {
  std::vector<std::string> known = {"endpoint", "headers", "timeout_ms"};
  EXPECT_EQ(nearest("endpont", known), "endpoint");
  EXPECT_EQ(nearest("ednpoint", known), "endpoint");
  EXPECT_EQ(nearest("zebra", known), std::nullopt);
  EXPECT_EQ(nearest("timeout", known), "timeout_ms");
  EXPECT_EQ(nearest("headers_ms", known), "headers");
}

TEST(Text, DurationsAreGoStyle) {
  EXPECT_EQ(parse_duration("500ms").value, Duration(500'000));
  EXPECT_EQ(parse_duration("2m30s").value, Duration(150'000'000));
  EXPECT_EQ(parse_duration("1.5h").value, Duration(5'400'000'000));
  EXPECT_NE(parse_duration("30").error.find("no unit"), std::string::npos);
  EXPECT_FALSE(parse_duration("").value);
  EXPECT_FALSE(parse_duration("-1s").value);
  EXPECT_FALSE(parse_duration("1x").value);
  EXPECT_FALSE(parse_duration("1..5s").value);
}

TEST(Text, DurationsAreShownShort) {
  EXPECT_EQ(format_duration(Duration(212'345)), "212ms");
  EXPECT_EQ(format_duration(Duration(30'000'000)), "30s");
  EXPECT_EQ(format_duration(Duration(1'250'000)), "1.25s");
  EXPECT_EQ(format_duration(Duration(150'000'000)), "2m30s");
  EXPECT_EQ(format_duration(Duration(7'200'000'000)), "2h");
}

}  // namespace
}  // namespace assay
