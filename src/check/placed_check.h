#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/text.h"
#include "check/check.h"

namespace assay {

// What a check found, in words. The message of the result is "requirement: finding".
struct Finding {
  bool passed = true;
  std::string requirement;  // "tool "x" must be called"
  std::string found;        // "it was never called"
  std::string expected;     // short
  std::string actual;       // short
};

// A check that knows its type and where it was written.
class PlacedCheck : public Check {
 public:
  PlacedCheck(std::string_view type, Place source) : type_(type), source_(std::move(source)) {}
  CheckResult evaluate(const Scope& scope) const final {
    Finding finding = judge(scope);
    CheckResult result;
    result.type = type_;
    result.passed = finding.passed;
    result.expected = std::move(finding.expected);
    result.actual = std::move(finding.actual);
    result.message = fmt::format("{}: {}", finding.requirement, finding.found);
    result.turn = scope.turn;
    result.source = source_;
    return result;
  }

 protected:
  virtual Finding judge(const Scope& scope) const = 0;

 private:
  std::string type_;
  Place source_;
};

}  // namespace assay
