#include "base/reader.h"

#include <gtest/gtest.h>

#include "support/yaml.h"

namespace assay {
namespace {

using testing::yaml;

class ReaderTest : public ::testing::Test {
 protected:
  const Node& node(const std::string& value) {
    document_ = yaml("v: " + value + "\n");
    return *document_.root.find("v");
  }
  // The one mistake since the last call, "" for none.
  std::string mistake() {
    Errors errors = reader_.take_errors();
    reader_ = Reader();
    EXPECT_LE(errors.size(), 1u);
    return errors.empty() ? "" : errors[0].message;
  }

  Document document_;
  Reader reader_;
};

TEST_F(ReaderTest, Text) {
  EXPECT_EQ(reader_.text(node("abc"), "`v`"), "abc");
  EXPECT_EQ(reader_.text(node("1.0"), "`v`"), "1.0");
  EXPECT_EQ(reader_.text(node("True"), "`v`"), "True");
  EXPECT_EQ(reader_.text(node("\"\""), "`v`"), "");
  EXPECT_EQ(mistake(), "");
  for (auto [value, kind] : {std::pair{"", "nothing"}, {"[]", "a list"}, {"{}", "a map"}}) {
    EXPECT_FALSE(reader_.text(node(value), "`v`"));
    EXPECT_EQ(mistake(), "`v` must be text, not " + std::string(kind));
  }
}

TEST_F(ReaderTest, Booleans) {
  EXPECT_EQ(reader_.boolean(node("true"), "`v`"), true);
  EXPECT_EQ(reader_.boolean(node("False"), "`v`"), false);
  EXPECT_FALSE(reader_.boolean(node("\"true\""), "`v`"));
  EXPECT_EQ(mistake(), "`v` must be true or false, not text");
  EXPECT_FALSE(reader_.boolean(node("1"), "`v`"));
  EXPECT_EQ(mistake(), "`v` must be true or false, not a number");
}

TEST_F(ReaderTest, Numbers) {
  EXPECT_EQ(reader_.number(node("0"), "`v`"), 0.0);
  EXPECT_EQ(reader_.number(node("1.5"), "`v`"), 1.5);
  EXPECT_FALSE(reader_.number(node("-1"), "`v`"));
  EXPECT_EQ(mistake(), "`v` must be zero or more");
  EXPECT_FALSE(reader_.number(node("\"1\""), "`v`"));
  EXPECT_EQ(mistake(), "`v` must be a number, not text");
}

TEST_F(ReaderTest, Integers) {
  EXPECT_EQ(reader_.integer(node("3"), "`v`", 1, 5), 3);
  EXPECT_EQ(reader_.integer(node("3.0"), "`v`", 1, 5), 3);
  for (const char* bad : {"0", "6", "2.5"}) {
    EXPECT_FALSE(reader_.integer(node(bad), "`v`", 1, 5));
    EXPECT_EQ(mistake(), "`v` must be a whole number, from 1 to 5") << bad;
  }
  EXPECT_FALSE(reader_.integer(node("1e300"), "`v`", 2));
  EXPECT_EQ(mistake(), "`v` must be a whole number, 2 or more");
}

TEST_F(ReaderTest, Times) {
  EXPECT_EQ(reader_.milliseconds(node("1.5"), "`v`"), std::chrono::microseconds(1500));
  EXPECT_EQ(reader_.duration(node("2m30s"), "`v`"), std::chrono::seconds(150));
  EXPECT_FALSE(reader_.milliseconds(node("0"), "`v`"));
  EXPECT_EQ(mistake(), "`v` must be a number of milliseconds above zero");
  EXPECT_FALSE(reader_.milliseconds(node("1e300"), "`v`"));
  EXPECT_EQ(mistake(), "`v` must be a number of milliseconds above zero");
  EXPECT_FALSE(reader_.duration(node("30"), "`v`"));
  EXPECT_EQ(mistake(), "`v`: \"30\" is not a duration: it has no unit (like 500ms, 30s, 2m30s, 1.5h)");
  EXPECT_FALSE(reader_.duration(node("0s"), "`v`"));
  EXPECT_EQ(mistake(), "`v` must be above zero");
  EXPECT_FALSE(reader_.duration(node("[]"), "`v`"));
  EXPECT_EQ(mistake(), "`v` must be a duration like 30s, not a list");
}

TEST_F(ReaderTest, Lists) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(reader_.texts(node("[a, 1]"), "`v`"), (Texts{"a", "1"}));
  EXPECT_EQ(reader_.text_or_texts(node("a"), "`v`"), Texts{"a"});
  EXPECT_EQ(reader_.texts(node("[a, [b]]"), "`v`"), Texts{"a"});
  EXPECT_EQ(mistake(), "an item of `v` must be text, not a list");
  EXPECT_EQ(reader_.texts(node("a"), "`v`"), Texts{});
  EXPECT_EQ(mistake(), "`v` must be a list, not text");
}

TEST_F(ReaderTest, Words) {
  std::vector<std::string> words = {"full", "last"};
  EXPECT_EQ(reader_.word(node("last"), "`v`", words), 1u);
  EXPECT_FALSE(reader_.word(node("ful"), "`v`", words));
  EXPECT_EQ(reader_.errors()[0].hint, "did you mean full?");
  EXPECT_EQ(mistake(), "`v` cannot be \"ful\"");
}

TEST_F(ReaderTest, DeferredNodesAreNeverMistakes) {
  Node waiting;
  waiting.kind = Node::Kind::kDeferred;
  waiting.text = "${X}";
  EXPECT_FALSE(reader_.text(waiting, "`v`"));
  EXPECT_FALSE(reader_.boolean(waiting, "`v`"));
  EXPECT_FALSE(reader_.number(waiting, "`v`"));
  EXPECT_FALSE(reader_.duration(waiting, "`v`"));
  EXPECT_FALSE(reader_.map(waiting, "`v`"));
  EXPECT_FALSE(reader_.list(waiting, "`v`"));
  EXPECT_TRUE(reader_.text_or_texts(waiting, "`v`").empty());
  EXPECT_EQ(mistake(), "");
}

struct Point {
  std::string x;
};
constexpr Field<Point> kPointFields[] = {
    {"x", "text", "", [](Reader& r, const Node& n, Point& p) { p.x = r.text(n, "`x`").value_or(""); }, Field<Point>::kRequired},
    {"why", "text", "", [](Reader&, const Node&, Point&) {}},
};

TEST_F(ReaderTest, Fields) {
  Point point;
  read_fields<Point>(reader_, node("{x: 1, whi: 2, zzzzz: 3}"), point, kPointFields, "a point");
  EXPECT_EQ(point.x, "1");
  ASSERT_EQ(reader_.errors().size(), 2u);
  EXPECT_EQ(reader_.errors()[0].message, "unknown key \"whi\" in a point");
  EXPECT_EQ(reader_.errors()[0].hint, "did you mean why?");
  EXPECT_EQ(reader_.errors()[1].hint, "known keys: x, why");
  reader_ = Reader();
  read_fields<Point>(reader_, node("{}"), point, kPointFields, "a point");
  EXPECT_EQ(mistake(), "a point needs `x`");
  read_fields<Point>(reader_, node("[]"), point, kPointFields, "a point");
  EXPECT_EQ(mistake(), "a point must be a map, not a list");
}

TEST(Node, ToJsonAndFind) {
  Document document = yaml("a: [1, x, null, true, {b: 1.5}]\n");
  EXPECT_EQ(to_compact(document.root.to_json()), R"({"a":[1,"x",null,true,{"b":1.5}]})");
  EXPECT_TRUE(document.root.find("a"));
  EXPECT_FALSE(document.root.find("b"));
  EXPECT_FALSE(document.root.find("a")->find("b"));
}

TEST(Node, PlacesWithoutSourceOrLine) {
  EXPECT_EQ(Node().place().file, "");
  Source source{"s", "one\r\ntwo"};
  Node node;
  node.source = &source;
  node.line = 1;
  EXPECT_EQ(node.place().text, "one");
  node.line = 2;
  EXPECT_EQ(node.place().text, "two");
  node.line = 9;
  EXPECT_EQ(node.place().text, "");
}

}  // namespace
}  // namespace assay
