#include "agent/patch.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// The state after a patch; "-" where it does not fit.
std::string patched(std::string_view state, std::string_view patch) {
  Json target = *parse_json(state);
  Json before = target;
  if (apply_patch(target, *parse_json(patch))) return to_compact(target);
  EXPECT_EQ(target, before) << "a patch that does not fit must change nothing";
  return "-";
}

TEST(Patch, AppliesEveryOperation) {
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])"), R"({"a":1,"b":2})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"/a","value":null}])"), R"({"a":null})");
  EXPECT_EQ(patched(R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2},{"op":"add","path":"/a/-","value":4}])"),
            R"({"a":[1,2,3,4]})");
  EXPECT_EQ(patched(R"({"a":[1]})", R"([{"op":"add","path":"/a/1","value":2}])"), R"({"a":[1,2]})");
  EXPECT_EQ(patched(R"({"a":1,"b":[1,2]})", R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/b/0"}])"), R"({"b":[2]})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":{"x":[]}}])"), R"({"a":{"x":[]}})");
  EXPECT_EQ(patched(R"({"a":{"x":1},"b":2})", R"([{"op":"move","from":"/a/x","path":"/c"}])"), R"({"a":{},"b":2,"c":1})");
  EXPECT_EQ(patched(R"({"a":[1,2]})", R"([{"op":"move","from":"/a/0","path":"/a/0"}])"), R"({"a":[1,2]})");
  EXPECT_EQ(patched(R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/-","value":2}])"),
            R"({"a":[1],"b":[1,2]})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":1.0}])"), R"({"a":1})");
  EXPECT_EQ(patched("1", R"([{"op":"replace","path":"","value":[]}])"), "[]");
  EXPECT_EQ(patched("1", R"([{"op":"add","path":"","value":{"":0}},{"op":"replace","path":"/","value":1}])"), R"({"":1})");
  EXPECT_EQ(patched(R"({"a/b":1,"c~d":2})", R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/c~0d"}])"), "{}");
}

TEST(Patch, WhatDoesNotFitChangesNothing) {
  for (std::string_view patch : {
           R"([{"op":"replace","path":"/a","value":9},{"op":"remove","path":"/none"}])",
           R"([{"op":"replace","path":"/a","value":9},{"op":"test","path":"/a","value":1}])",
           R"([{"op":"add","path":"/none/x","value":1}])",
           R"([{"op":"add","path":"/text/x","value":1}])",
           R"([{"op":"add","path":"/a/0","value":1}])",
           R"([{"op":"remove","path":"/text/0"}])",
           R"([{"op":"replace","path":"/none","value":1}])",
           R"([{"op":"add","path":"/list/3","value":1}])",
           R"([{"op":"add","path":"/list/01","value":1}])",
           R"([{"op":"add","path":"/list/x","value":1}])",
           R"([{"op":"replace","path":"/list/-","value":1}])",
           R"([{"op":"replace","path":"/list/18446744073709551616","value":1}])",
           R"([{"op":"add","path":"a","value":1}])",
           R"([{"op":"add","path":"/a~2","value":1}])",
           R"([{"op":"add","path":"/b"}])",
           R"([{"op":"add","value":1}])",
           R"([{"op":"add","path":7,"value":1}])",
           R"([{"op":"move","from":"/none","path":"/b"}])",
           R"([{"op":"move","from":"/list/0","path":"/list/0/x"}])",
           R"([{"op":"copy","path":"/b"}])",
           R"([{"op":"remove","path":""}])",
           R"({"op":"add","path":"/b","value":1})",
           "7",
       })
    EXPECT_EQ(patched(R"({"a":1,"text":"x","list":["p","q"]})", patch), "-") << patch;
}

TEST(Patch, AnUnknownOperationIsLeftOut) {
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"frob","path":"/a"},{"op":7},5,{},{"op":"add","path":"/b","value":2}])"),
            R"({"a":1,"b":2})");
  EXPECT_EQ(patched("{}", "[]"), "{}");
}

TEST(Patch, CopiesOfCopiesDoNotFillTheMemory) {
  Json doubling = Json::array();
  for (int i = 0; i < 64; ++i)
    doubling.push_back({{"op", "copy"}, {"from", ""}, {"path", "/" + std::to_string(i)}});
  Json state = {{"a", std::string(1000, 'x')}};
  EXPECT_FALSE(apply_patch(state, doubling));
  EXPECT_EQ(state.size(), 1u);
  Json deeper = Json::array({{{"op", "copy"}, {"from", ""}, {"path", "/a"}}});
  int fitted = 0;
  while (fitted < 1000 && apply_patch(state, deeper))
    ++fitted;
  EXPECT_GT(fitted, 2);
  EXPECT_LT(fitted, 1000);
}

}  // namespace
}  // namespace assay
