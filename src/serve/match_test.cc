#include "serve/match.h"

#include <gtest/gtest.h>

#include "support/serve_support.h"

namespace assay {
namespace {

// Does a rule with this `when` play for a request with these members?
bool plays(std::string_view when, const Json& input) {
  auto plan = test::plan_from(R"({"agents":{"a":{"rules":[{"steps":[],"when":)" + std::string(when) + "}]}}}");
  auto request = read_agui_request(input);
  RulePicker picker;
  return request && picker.pick(plan->agents[0], *request) == 0;
}

Json resume(Json payload, std::string_view status = "resolved") {
  return {{"resume", {{{"interruptId", "i1"}, {"status", status}, {"payload", std::move(payload)}}}}};
}

TEST(ServeMatch, Resume) {
  EXPECT_TRUE(plays(R"({"resume":true})", resume(nullptr)));
  EXPECT_FALSE(plays(R"({"resume":true})", Json::object()));
  EXPECT_FALSE(plays(R"({"resume":true})", {{"resume", Json::array()}}));
  EXPECT_TRUE(plays(R"({"resume":false})", Json::object()));
  EXPECT_FALSE(plays(R"({"resume":false})", resume(1)));
  EXPECT_TRUE(plays(R"({"resume":"^yes$"})", resume("yes")));
  EXPECT_TRUE(plays(R"({"resume":"\"approved\":true"})", resume({{"approved", true}})));
  EXPECT_FALSE(plays(R"({"resume":"\"approved\":true"})", resume({{"approved", false}})));
  EXPECT_TRUE(plays(R"({"resume":{"id":"i1","status":"cancelled"}})", resume(nullptr, "cancelled")));
  EXPECT_FALSE(plays(R"({"resume":{"id":"i2"}})", resume(nullptr)));
  EXPECT_FALSE(plays(R"({"resume":{"status":"cancelled"}})", resume(nullptr)));
  EXPECT_TRUE(plays(R"({"resume":{"payload":"5"}})", resume(5)));
  EXPECT_FALSE(plays(R"({"resume":{"payload":"5"}})", {{"resume", {1, "x", nullptr}}}));
}

TEST(ServeMatch, CommandResume) {
  Json input = {{"forwardedProps", {{"command", {{"resume", {{"approved", true}}}}}}}};
  EXPECT_TRUE(plays(R"({"command_resume":"approved"})", input));
  EXPECT_FALSE(plays(R"({"command_resume":"refused"})", input));
  for (const Json& odd : {Json({{"forwardedProps", 1}}), Json({{"forwardedProps", {{"command", "x"}}}}), Json::object()})
    EXPECT_FALSE(plays(R"({"command_resume":"."})", odd));
}

TEST(ServeMatch, Tools) {
  Json input = {{"tools", {{{"name", "a"}}, {{"name", "b"}}, 1}}};
  EXPECT_TRUE(plays(R"({"has_tool":"a"})", input));
  EXPECT_TRUE(plays(R"({"has_tool":["a","b"]})", input));
  EXPECT_FALSE(plays(R"({"has_tool":["a","c"]})", input));
  Json user = {{"role", "user"}, {"content", "x"}};
  Json failed = {{"role", "tool"}, {"toolCallId", "c"}, {"content", "no"}, {"error", "declined by user"}};
  Json fine = {{"role", "tool"}, {"toolCallId", "c"}, {"content", "yes"}};
  EXPECT_TRUE(plays(R"({"tool_error":"declined"})", {{"messages", {user, fine, failed}}}));
  EXPECT_FALSE(plays(R"({"tool_error":"declined"})", {{"messages", {user, failed, fine}}}));
  EXPECT_FALSE(plays(R"({"tool_error":"declined"})", {{"messages", {user, failed, user}}}));
}

TEST(ServeMatch, State) {
  Json input = {{"state", {{"cart", {{"n", 1}, {"items", {1, 2}}}}, {"x", nullptr}}}};
  EXPECT_TRUE(plays(R"({"state":{"cart":{"n":1.0}}})", input));
  EXPECT_TRUE(plays(R"({"state":{"cart":{"items":[1,2]},"x":null}})", input));
  EXPECT_FALSE(plays(R"({"state":{"cart":{"items":[1]}}})", input));
  EXPECT_FALSE(plays(R"({"state":{"cart":{"n":2}}})", input));
  EXPECT_FALSE(plays(R"({"state":{"y":null}})", input));
  EXPECT_FALSE(plays(R"({"state":{"y":1}})", {{"state", "text"}}));
  EXPECT_TRUE(plays(R"({"state":{}})", input));
}

TEST(ServeMatch, LongIdsAreRefused) {
  EXPECT_FALSE(read_agui_request({{"threadId", std::string(1001, 'x')}}));
  EXPECT_TRUE(read_agui_request({{"threadId", std::string(1000, 'x')}}));
}

}  // namespace
}  // namespace assay
