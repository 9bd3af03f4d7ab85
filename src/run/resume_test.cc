#include "run/resume.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

const Json kOne = Json::parse(R"([{"id":"pay","reason":"confirmation","message":"Really pay?"}])");
const Json kTwo = Json::parse(R"([{"id":"seat","reason":"input_required"},{"id":"meal","reason":"input_required"}])");

std::string entries(const char* resume, const Json& interrupts) {
  auto result = resume_entries(Json::parse(resume), interrupts);
  return result ? to_compact(*result) : result.error().message;
}

Turn interrupted(Json interrupts) {
  Turn turn;
  turn.outcome = Outcome::kInterrupt;
  turn.interrupts = std::move(interrupts);
  return turn;
}

TEST(Resume, AValueIsThePayload) {
  EXPECT_EQ(entries(R"({"ok":true})", kOne), R"([{"interruptId":"pay","status":"resolved","payload":{"ok":true}}])");
  EXPECT_EQ(entries(R"("yes")", kOne), R"([{"interruptId":"pay","status":"resolved","payload":"yes"}])");
  EXPECT_EQ(entries("false", kOne), R"([{"interruptId":"pay","status":"resolved","payload":false}])");
  EXPECT_EQ(entries("null", kOne), R"([{"interruptId":"pay","status":"resolved"}])");
}

TEST(Resume, CancelledIsAWordOrAStatus) {
  EXPECT_EQ(entries(R"("cancelled")", kOne), R"([{"interruptId":"pay","status":"cancelled"}])");
  EXPECT_EQ(entries(R"({"status":"cancelled"})", kOne), R"([{"interruptId":"pay","status":"cancelled"}])");
  EXPECT_EQ(entries(R"({"status":"resolved","payload":1,"metadata":{}})", kOne),
            R"([{"interruptId":"pay","status":"resolved","payload":1,"metadata":{}}])");
}

TEST(Resume, AMapThatOnlyLooksLikeAnEntryIsAPayload) {
  EXPECT_EQ(entries(R"({"status":"shipped"})", kOne),
            R"([{"interruptId":"pay","status":"resolved","payload":{"status":"shipped"}}])");
  EXPECT_EQ(entries(R"({"status":"resolved","ticket":1})", kOne),
            R"([{"interruptId":"pay","status":"resolved","payload":{"status":"resolved","ticket":1}}])");
}

TEST(Resume, SeveralAreAnsweredByIdInTheOrderTheyWereAsked) {
  EXPECT_EQ(entries(R"({"meal":"soup","seat":"cancelled"})", kTwo),
            R"([{"interruptId":"seat","status":"cancelled"},{"interruptId":"meal","status":"resolved","payload":"soup"}])");
}

TEST(Resume, OneValueAnswersThemAll) {
  EXPECT_EQ(entries(R"("cancelled")", kTwo),
            R"([{"interruptId":"seat","status":"cancelled"},{"interruptId":"meal","status":"cancelled"}])");
}

TEST(Resume, SaysWhatIsMissingAndWhatIsTooMuch) {
  EXPECT_EQ(entries(R"({"seat":1})", kTwo),
            "`resume` does not answer \"meal\": every open interrupt needs an answer, or `cancelled`");
  EXPECT_EQ(entries(R"({"seat":1,"meal":2,"drink":3})", kTwo),
            "`resume` answers \"drink\", which is not open: the open interrupts are \"seat, meal\"");
}

TEST(Resume, AnInterruptWithoutAnIdCannotBeAnswered) {
  std::string expected = "`resume` cannot answer an interrupt without an id: the agent gave none";
  for (const char* odd : {"[]", "[1]", R"([{"id":5}])", R"([{"id":"a"},{"reason":"confirmation"}])"})
    EXPECT_EQ(entries("true", Json::parse(odd)), expected) << odd;
}

TEST(Resume, AnOpenInterruptMustBeAnswered) {
  Turn turn = interrupted(kOne);
  EXPECT_EQ(resume_mistake(true, &turn), "");
  EXPECT_EQ(resume_mistake(false, &turn),
            "the agent waits for an answer to interrupt \"pay\" (confirmation) \"Really pay?\": give this turn a `resume`");
}

TEST(Resume, TheQuestionOfLangGraphIsShown) {
  Turn turn =
      interrupted(Json::parse(R"([{"id":"on_interrupt-1","reason":"langgraph:interrupt","metadata":{"value":{"q":"Go?"}}}])"));
  EXPECT_NE(resume_mistake(false, &turn).find(R"("on_interrupt-1" (langgraph:interrupt) "{"q":"Go?"}")"), std::string::npos)
      << resume_mistake(false, &turn);
}

TEST(Resume, WithoutAnInterruptThereIsNothingToAnswer) {
  Turn turn;
  EXPECT_EQ(resume_mistake(false, &turn), "");
  EXPECT_EQ(resume_mistake(false, nullptr), "");
  EXPECT_NE(resume_mistake(true, &turn), "");
  EXPECT_NE(resume_mistake(true, nullptr), "");
}

}  // namespace
}  // namespace assay
