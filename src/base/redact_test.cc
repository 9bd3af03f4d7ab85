#include "base/redact.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace assay {
namespace {

TEST(Redactor, ReplacesEveryForm) {
  Redactor r;
  std::string secret = "s3cr3t/pass+word";
  r.add(secret);
  EXPECT_EQ(r.apply("x " + secret + " y"), "x *** y");
  EXPECT_EQ(r.apply(url_encode(secret)), "***");
  for (std::string before : {"", "u", "us", "use", "user:"}) {
    std::string shown = r.apply(base64(before + secret + ":tail"));
    EXPECT_NE(shown.find("***"), std::string::npos) << before;
    EXPECT_EQ(shown.find(base64(before + secret).substr(before.size() + 4, 10)), std::string::npos) << before;
  }
}

TEST(Redactor, LeavesShortValuesKeysAndNumbers) {
  Redactor r;
  r.add("short");
  EXPECT_TRUE(r.empty());
  r.add("12345678");
  Json v = {{"12345678", 12345678}, {"a", {"no 12345678 here"}}};
  r.apply_to_strings(v);
  EXPECT_EQ(v.dump(), R"({"12345678":12345678,"a":["no *** here"]})");
}

TEST(Redactor, KnowsSecretHeaders) {
  EXPECT_TRUE(is_secret_header("Authorization"));
  EXPECT_TRUE(is_secret_header("X-Api-Key"));
  EXPECT_TRUE(is_secret_header("x-auth-token"));
  EXPECT_FALSE(is_secret_header("Accept"));
}

TEST(Redactor, ABeginningThatWasCutOffIsASecretToo) {
  Redactor r;
  r.add("correct-horse");
  EXPECT_EQ(r.apply("it is correct-hors…, and corre… but cor… stays"), "it is ***…, and ***… but cor… stays");
  EXPECT_EQ(r.apply("… a … b"), "… a … b");
}

}  // namespace
}  // namespace assay
