#include "check/pattern.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <thread>

namespace assay {
namespace {

using Match = Pattern::Match;

Match search(std::string_view pattern, std::string_view subject) {
  auto compiled = Pattern::compile(pattern);
  EXPECT_TRUE(compiled) << pattern << ": " << (compiled ? "" : compiled.error().message);
  return compiled ? compiled->search(subject) : Match::kLimit;
}
bool found(std::string_view pattern, std::string_view subject) { return search(pattern, subject) == Match::kYes; }

Error error_of(std::string_view pattern) {
  auto compiled = Pattern::compile(pattern);
  EXPECT_FALSE(compiled) << pattern;
  return compiled ? Error{} : compiled.error();
}

TEST(Pattern, IsSearchedAnywhereAndMindsCase) {
  EXPECT_TRUE(found("wor", "hello world"));
  EXPECT_FALSE(found("Wor", "hello world"));
  EXPECT_TRUE(found("", "anything"));
  EXPECT_TRUE(found("", ""));
}

TEST(Pattern, FlagsAfterTheLastSlash) {
  EXPECT_TRUE(found("/JOHN/i", "john doe"));
  EXPECT_TRUE(found("/hello.*world/i", "Hello, World"));
  EXPECT_TRUE(found("/john/", "a john"));
  EXPECT_TRUE(found("/a/b/i", "A/B"));
  EXPECT_TRUE(found(R"(/a\/b/)", "a/b"));
  EXPECT_TRUE(found("/x/gimsu", "X"));
  EXPECT_EQ(Pattern::compile("/john/i")->text(), "/john/i");
}

TEST(Pattern, TextThatMerelyStartsWithASlashIsPlain) {
  EXPECT_TRUE(found("/api/v1/users", "GET /api/v1/users HTTP"));
  EXPECT_FALSE(found("/api/v1/users", "api/v1"));
  EXPECT_TRUE(found("/usr/bin", "/usr/bin/env"));
  EXPECT_FALSE(found("/usr/bin", "usr"));
  EXPECT_TRUE(found("/home/yummy", "/home/yummy"));
  EXPECT_TRUE(found("/a/b/c", "/a/b/c"));
  EXPECT_TRUE(found("/api/me", "/api/me"));
  EXPECT_TRUE(found("/", "a/b"));
  EXPECT_TRUE(found("/v2/x1", "/v2/x1"));
}

TEST(Pattern, WrongFlagsAreAMistakeAtTheirPlace) {
  Error error = error_of("/foo/x");
  EXPECT_NE(error.message.find("unknown flag \"x\""), std::string::npos) << error.message;
  EXPECT_EQ(error.place.column, 6);
  EXPECT_EQ(error.place.length, 1);
  EXPECT_EQ(error_of("/foo/GI").place.length, 2);
}

// The same default meaning in both engines: (?=) sends a pattern to PCRE2.
TEST(Pattern, AnchorsAndDotAsInJavaScript) {
  for (std::string look : {"", "(?=)"}) {
    EXPECT_FALSE(found(look + "^b", "a\nb"));
    EXPECT_FALSE(found("a$" + look, "a\n"));
    EXPECT_FALSE(found("a$" + look, "a\nb"));
    EXPECT_TRUE(found("a$" + look, "a"));
    EXPECT_FALSE(found(look + "a.b", "a\nb"));
    EXPECT_TRUE(found("/" + look + "^b$/m", "a\nb\nc"));
    EXPECT_TRUE(found("/" + look + "a.b/s", "a\nb"));
    EXPECT_TRUE(found(look + "(?i)ABC", "xabc"));
    EXPECT_TRUE(found(look + "(?s)a.b", "a\nb"));
    EXPECT_TRUE(found("/" + look + "ABC/i", "xabc"));
    EXPECT_TRUE(found("/" + look + "ab/y", "abc"));
    EXPECT_FALSE(found("/" + look + "b/y", "abc"));
    EXPECT_FALSE(found("/" + look + "b/my", "a\nb"));
  }
}

TEST(Pattern, LookAroundAndBackReferencesRunOnPcre) {
  EXPECT_TRUE(found("foo(?!bar)", "foobaz"));
  EXPECT_FALSE(found("foo(?!bar)", "foobar"));
  EXPECT_TRUE(found("(?<=\\$)\\d+", "costs $42"));
  EXPECT_TRUE(found("(\\w)\\1", "hello"));
  EXPECT_FALSE(found("(\\w)\\1", "world"));
  EXPECT_TRUE(found("/(?<word>L)\\k<word>/i", "hello"));
}

TEST(Pattern, OtherSyntaxOfJavaScriptThatRe2Lacks) {
  EXPECT_TRUE(found("(?<year>\\d{4})", "in 2024"));
  EXPECT_TRUE(found("\\u00e9t\\u{e9}", "été"));
  EXPECT_TRUE(found("\\ud83d\\ude00", "😀"));
  EXPECT_TRUE(found("a[^]b", "a\nb"));
  EXPECT_TRUE(found("a{1,2000}", "aaa"));
  EXPECT_TRUE(found("\\\\u0041", "\\u0041"));
}

TEST(Pattern, UnicodeIsMatchedByCharacter) {
  EXPECT_TRUE(found("^.$", "é"));
  EXPECT_TRUE(found("^(?=).$", "é"));
  EXPECT_TRUE(found("/É/i", "é"));
}

TEST(Pattern, BadPatternsPointAtTheirMistake) {
  struct {
    const char* pattern;
    int column;
  } const cases[] = {{"ab(cd", 1}, {"ab[cd", 3}, {"*a", 1}, {"/ab[cd/i", 4}, {"\\u0041[z-a]", 8}, {"ab)", 1}, {"a(?<=b+)c", 0}};
  for (const auto& c : cases) {
    Error error = error_of(c.pattern);
    EXPECT_EQ(error.kind, ErrorKind::kInput);
    EXPECT_NE(error.message.find("bad pattern"), std::string::npos);
    EXPECT_GE(error.place.length, 1);
    EXPECT_TRUE(c.column == 0 || error.place.column == c.column) << c.pattern << " " << error.place.column;
    EXPECT_LE(error.place.column, static_cast<int>(std::string(c.pattern).size())) << c.pattern;
  }
}

TEST(Pattern, CatastrophicBacktrackingRunsIntoTheLimit) {
  EXPECT_EQ(search("(?=a)(a+)+\\1$", std::string(60, 'a') + "b"), Match::kLimit);
  EXPECT_EQ(search("(a+)+$", std::string(100000, 'a') + "b"), Match::kNo);
  EXPECT_NE(search("(?=x)(x|.)*$", std::string(1 << 20, 'x')), Match::kNo);
}

TEST(Pattern, InvalidUtf8NeitherCrashesNorHides) {
  std::string subject =
      "abc\xff\xfe"
      "def";
  EXPECT_TRUE(found("def", subject));
  EXPECT_TRUE(found("(?=d)def", subject));
  EXPECT_TRUE(found("abc..def", subject));
  EXPECT_TRUE(Pattern::compile("\xff").has_value());
}

TEST(Pattern, CacheIsBoundedAndSafe) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 2500; ++i) {
        std::string n = std::to_string(i);
        EXPECT_EQ(Pattern::compile("x" + n)->search("x" + n), Match::kYes);
      }
    });
  for (auto& thread : threads)
    thread.join();
}

RC_GTEST_PROP(Pattern, AnyBytesCompileOrSayWhere, (const std::string& pattern, const std::string& subject)) {
  auto compiled = Pattern::compile(pattern);
  if (compiled)
    compiled->search(subject);
  else
    RC_ASSERT(compiled.error().place.column >= 1 && compiled.error().place.length >= 1);
}

RC_GTEST_PROP(Pattern, PlainLettersAreASubstringSearch, ()) {
  auto letters = rc::gen::container<std::string>(rc::gen::inRange('a', 'd'));
  std::string needle = *letters;
  std::string text = *letters;
  bool contained = text.find(needle) != std::string::npos;
  RC_ASSERT((Pattern::compile(needle)->search(text) == Match::kYes) == contained);
  RC_ASSERT((Pattern::compile("(?=)" + needle)->search(text) == Match::kYes) == contained);
}

}  // namespace
}  // namespace assay
