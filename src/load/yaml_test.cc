#include "load/yaml.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/yaml.h"

namespace assay {
namespace {

using testing::pointed;
using testing::try_yaml;
using testing::yaml;
using testing::yaml_mistakes;

// "line:column text" of a node. What is quoted is shown without its quotes, an alias without its star.
std::string where(const Node& node) {
  return std::to_string(node.line) + ":" + std::to_string(node.column) + " " + pointed(node.place());
}

std::string where(const std::string& text, std::string_view key) {
  Document document = yaml(text);
  const Node* node = document.root.find(key);
  return node ? where(*node) : "(not there)";
}

TEST(Yaml, PlacesOfScalars) {
  EXPECT_EQ(where("a: word\n", "a"), "1:4 word");
  EXPECT_EQ(where("x: 1\n\n  \na:   two words  # comment\n", "a"), "4:6 two words");
  EXPECT_EQ(where("a: 'it''s'\n", "a"), "1:5 it''s");
  EXPECT_EQ(where("a: \"q\\n\"   \n", "a"), "1:5 q\\n");
  EXPECT_EQ(where("a: 12\n", "a"), "1:4 12");
  EXPECT_EQ(where("{b: 1, a: x, c: 2}\n", "a"), "1:11 x");
  EXPECT_EQ(where("a:\n  first\n  second\n", "a"), "2:3 first");
  EXPECT_EQ(where("a: word", "a"), "1:4 word");
}

TEST(Yaml, PlacesOfBlockScalarsStayOnOneLine) {
  Document document = yaml("a: |\n  one\n  two\nb: >-\n  x\n");
  EXPECT_EQ(document.root.find("a")->text, "one\ntwo\n");
  EXPECT_EQ(document.root.find("b")->text, "x");
  for (const char* key : {"a", "b"}) {
    Place place = document.root.find(key)->place();
    EXPECT_LE(static_cast<size_t>(place.column + place.length - 1), place.text.size()) << key;
    EXPECT_GE(place.length, 1);
  }
}

TEST(Yaml, PlacesCountBytesBehindMultiByteText) {
  EXPECT_EQ(where("ä: 1\na: ö\n", "a"), "2:4 ö");
  EXPECT_EQ(where("{ü€: \"日本\", a: x}\n", "a"), "1:22 x");
  EXPECT_EQ(where("a: \"日本 🌍\"\n", "a"), "1:5 日本 🌍");
}

TEST(Yaml, PlacesOfCollectionsAreTheRestOfTheLine) {
  EXPECT_EQ(where("a: [1, 2]\n", "a"), "1:4 [1, 2]");
  EXPECT_EQ(where("a: {b: 1}   \n", "a"), "1:4 {b: 1}");
  EXPECT_EQ(where("a:\n  - x\n  - y\n", "a"), "2:3 - x");
  EXPECT_EQ(where("a:\n  b: 1\n  c: 2\n", "a"), "2:3 b: 1");
  EXPECT_EQ(where(yaml("a: 1\r\n").root), "1:1 a: 1");
}

TEST(Yaml, AnEmptyValueStandsAtItsKey) {
  EXPECT_EQ(where("b: 1\nname:\n", "name"), "2:1 name");
  EXPECT_EQ(yaml("name:\n").root.find("name")->kind, Node::Kind::kNull);
}

TEST(Yaml, TypesOfPlainScalars) {
  for (auto [text, json] : {std::pair{"", "null"},
                            {"~", "null"},
                            {"null", "null"},
                            {"NULL", "null"},
                            {"nul", "\"nul\""},
                            {"true", "true"},
                            {"False", "false"},
                            {"yes", "\"yes\""},
                            {"on", "\"on\""},
                            {"0", "0"},
                            {"-7", "-7"},
                            {"+7", "7"},
                            {"007", "7"},
                            {"0x1F", "31"},
                            {"0o17", "15"},
                            {"0x", "\"0x\""},
                            {"0x-5", "\"0x-5\""},
                            {"0xZ", "\"0xZ\""},
                            {"1.5", "1.5"},
                            {".5", "0.5"},
                            {"-1e3", "-1000"},
                            {"1.", "1"},
                            {".", "\".\""},
                            {"-", "\"-\""},
                            {"+", "\"+\""},
                            {"+-5", "\"+-5\""},
                            {"++5", "\"++5\""},
                            {"1_000", "\"1_000\""},
                            {"1.2.3", "\"1.2.3\""},
                            {"2024-01-02", "\"2024-01-02\""},
                            {"12:30", "\"12:30\""},
                            {"1e999", "\"1e999\""},
                            {".inf", "\".inf\""},
                            {"infinity", "\"infinity\""},
                            {"-inf", "\"-inf\""},
                            {"nan", "\"nan\""},
                            {"9223372036854775807", "9223372036854775807"},
                            {"18446744073709551615", "18446744073709551615"},
                            {"1e", "\"1e\""}})
    EXPECT_EQ(to_compact(type_plain_scalar(text)), json) << text;
}

TEST(Yaml, QuotedScalarsAreText) {
  Document document = yaml("a: \"1\"\nb: 'true'\nc: |\n  1\nd: 1.0\n");
  EXPECT_EQ(document.root.find("a")->scalar, Json("1"));
  EXPECT_EQ(document.root.find("b")->scalar, Json("true"));
  EXPECT_EQ(document.root.find("c")->scalar, Json("1\n"));
  EXPECT_EQ(document.root.find("d")->text, "1.0");  // as written
}

TEST(Yaml, DuplicateKeysAreAllNamed) {
  EXPECT_EQ(yaml_mistakes("a: 1\nb: 2\na: 3\nc: {x: 1, x: 2}\n"), "3:1 \"a\" is given twice\n4:11 \"x\" is given twice\n");
  EXPECT_EQ(yaml_mistakes("a: 1\n\"a\": 2\n"), "2:2 \"a\" is given twice\n");
  EXPECT_EQ(yaml_mistakes("- {a: 1}\n- {a: 1}\n"), "");
}

TEST(Yaml, KeysAreText) {
  EXPECT_EQ(yaml_mistakes("? [a]\n: 1\n"), "1:3 a key must be text\n");
  EXPECT_EQ(yaml_mistakes("{{a: 1}: 2}\n"), "1:2 a key must be text\n");
  EXPECT_TRUE(yaml("1: a\n").root.find("1"));
}

TEST(Yaml, AliasesAreCopies) {
  Document document = yaml("a: &x {b: [1, 2]}\nc: *x\nd: &y text\ne: *y\n");
  EXPECT_EQ(to_compact(document.root.to_json()), R"({"a":{"b":[1,2]},"c":{"b":[1,2]},"d":"text","e":"text"})");
  EXPECT_EQ(yaml_mistakes("a: *x\nb: &x 1\n"), "1:5 alias *x has no anchor before it\n");
  EXPECT_EQ(yaml_mistakes("a: &x [*x]\n"), "1:9 alias *x has no anchor before it\n");
  EXPECT_EQ(yaml("a: &x 1\nb: &x 2\nc: *x\n").root.find("c")->scalar, Json(2));  // the last anchor of that name
}

TEST(Yaml, MergeKeys) {
  auto merged = [](const std::string& rest) {
    return to_compact(yaml("base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\n" + rest).root.find("m")->to_json());
  };
  EXPECT_EQ(merged("m:\n  <<: *b\n  y: 9\n"), R"({"x":1,"y":9})");
  EXPECT_EQ(merged("m:\n  y: 9\n  <<: *b\n"), R"({"y":9,"x":1})");
  EXPECT_EQ(merged("m:\n  <<: [*b, *o]\n"), R"({"x":1,"y":2,"z":4})");
  EXPECT_EQ(merged("m: {\"<<\": 1}\n"), R"({"<<":1})");
  EXPECT_EQ(yaml_mistakes("m:\n  <<: 5\n"), "2:3 `<<` takes a map or a list of maps\n");
  EXPECT_EQ(yaml_mistakes("b: &b {x: 1}\nm:\n  <<: *b\n  x: 1\n  x: 2\n"), "5:3 \"x\" is given twice\n");
}

TEST(Yaml, AliasBombsEndEarly) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k)
      laughs += ", " + before;
    laughs += "]\n";
  }
  EXPECT_NE(yaml_mistakes(laughs).find("aliases expand"), std::string::npos);

  std::string long_text = "a: &a \"" + std::string(100'000, 'x') + "\"\nb: [*a";
  for (int i = 0; i < 50'000; ++i)
    long_text += ", *a";
  EXPECT_NE(yaml_mistakes(long_text + "]\n").find("aliases expand"), std::string::npos);
}

TEST(Yaml, NestsSixtyFourLevels) {
  auto nested = [](size_t n) { return std::string(n, '[') + std::string(n, ']') + "\n"; };
  EXPECT_EQ(yaml_mistakes(nested(64)), "");
  EXPECT_EQ(yaml_mistakes(nested(65)), "1:65 nested deeper than 64 levels\n");
  EXPECT_NE(yaml_mistakes(std::string(200'000, '[')), "");
  std::string dashes;
  for (int i = 0; i < 65; ++i)
    dashes += "- ";
  EXPECT_EQ(yaml_mistakes(dashes + "x\n"), "1:129 nested deeper than 64 levels\n");
  // Aliases do not get around it.
  std::string chain = "a0: &a0 [1]\n";
  for (int i = 1; i < 70; ++i)
    chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_NE(yaml_mistakes(chain).find("nested deeper than 64 levels"), std::string::npos);
}

TEST(Yaml, SyntaxErrorsHaveTheirLine) {
  auto first = [](const std::string& text) {
    auto document = try_yaml(text);
    EXPECT_FALSE(document) << text;
    if (document) return std::string();
    const Place& place = document.error()[0].place;
    EXPECT_TRUE(document.error()[0].message.starts_with("not YAML: ")) << document.error()[0].message;
    EXPECT_NE(pointed(place), "(outside the line)") << text;
    return std::to_string(place.line);
  };
  EXPECT_EQ(first("a: 1\nb: [1, 2\nc: 3\n"), "3");
  EXPECT_EQ(first("a: 1\n  b: 2\n"), "1");
  EXPECT_EQ(first("a: \"open\nb: 1\n"), "1");
  EXPECT_EQ(first("a: 1\nb: @x\n"), "2");
  EXPECT_EQ(first("ok: 1\n\tb: 2\n"), "1");
}

TEST(Yaml, SyntaxErrorColumnsCountBytes) {
  auto column = [](const std::string& text) { return try_yaml(text).error()[0].place.column; };
  EXPECT_EQ(column("a: x\nb: @x\n"), 4);
  EXPECT_EQ(column("a: x\n\"ö\": @x\n"), 7);
}

TEST(Yaml, OneDocumentInAFile) {
  EXPECT_EQ(yaml_mistakes("---\na: 1\n...\n"), "");
  EXPECT_EQ(yaml_mistakes("a: 1\n---\nb: 2\n"), "2:1 a second document in one file\n");
}

TEST(Yaml, EmptyFiles) {
  for (const char* text : {"", "\n\n", "# nothing\n", "\xEF\xBB\xBF"})
    EXPECT_EQ(yaml_mistakes(text), "0:0 the file is empty\n") << text;
  EXPECT_TRUE(yaml("---\n").root.is_null());
}

TEST(Yaml, AByteOrderMarkIsIgnored) {
  EXPECT_EQ(where("\xEF\xBB\xBFname: x\n", "name"), "1:7 x");
  EXPECT_EQ(where("\xEF\xBB\xBF# c\nname: x\n", "name"), "2:7 x");
  EXPECT_EQ(yaml("\xEF\xBB\xBFname: x\n").root.place().text, "name: x");
  EXPECT_EQ(yaml_mistakes("\xEF\xBB\xBF\"a\": 1\n\"a\": 2\n"), "2:2 \"a\" is given twice\n");
}

TEST(Yaml, WindowsLineEnds) {
  Document document = yaml("a: one\r\nb: |\r\n  x\r\n  y\r\nc: \"q\"\r\n");
  EXPECT_EQ(where(*document.root.find("a")), "1:4 one");
  EXPECT_EQ(document.root.find("b")->text, "x\ny\n");
  EXPECT_EQ(where(*document.root.find("c")), "5:5 q");
  EXPECT_EQ(document.root.find("c")->place().text, "c: \"q\"");
  EXPECT_EQ(yaml_mistakes("a: 1\r\na: 2\r\n"), "2:1 \"a\" is given twice\n");
}

TEST(Yaml, FilesThatAreNotText) {
  EXPECT_EQ(yaml_mistakes("a: 1\nb: x\xff\xfe\n"), "2:5 the file is not UTF-8\n");
  EXPECT_EQ(yaml_mistakes("b: \"ö\xc3\"\n"), "1:7 the file is not UTF-8\n");
  EXPECT_EQ(yaml_mistakes(std::string("a: x\0y\n", 7)), "1:5 the file holds a NUL byte\n");
  EXPECT_EQ(yaml_mistakes("\xff\xfe" + std::string("a\0:\0", 4)), "1:1 the file is not UTF-8\n");
}

TEST(Yaml, HugeFilesLoadInLinearTime) {
  std::string keys;
  for (int i = 0; i < 40'000; ++i)
    keys += "key" + std::to_string(i) + ": " + std::to_string(i) + "\n";
  std::string merged = "base: &b\n";
  for (int i = 0; i < 40'000; ++i)
    merged += "  key" + std::to_string(i) + ": 1\n";
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(yaml(keys).root.members.size(), 40'000u);
  EXPECT_EQ(yaml(merged + "m:\n  <<: *b\n").root.find("m")->members.size(), 40'000u);
  EXPECT_FALSE(try_yaml(keys + keys.substr(0, 20'000)));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(6));
}

}  // namespace
}  // namespace assay
