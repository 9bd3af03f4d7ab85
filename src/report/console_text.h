#pragma once
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/redact.h"

namespace assay {

enum class Tint { kGood, kBad, kWarn, kDim };

// Makes text fit for a terminal: secrets replaced, cut, control characters visible. Nothing that came from an agent, a
// test or a hook reaches the console by another way.
class ConsoleText {
 public:
  enum class Color { kOff, kOn };
  ConsoleText(const Redactor& redactor, Color color) : redactor_(redactor), color_(color) {}

  // On one line, at most about `max` bytes.
  std::string line(std::string_view text, size_t max = kLine) const;
  // Compact, numbers and keys as they are, strings without their secrets.
  std::string value(const Json& json, size_t max = kLine) const;
  // As many lines as it has, each behind `indent` and ended by a newline.
  std::string block(std::string_view text, std::string_view indent) const;
  // A plain sentence of ours or text already made fit, in colour where there are colours.
  std::string tinted(Tint tint, std::string_view text) const;
  const Redactor& redactor() const { return redactor_; }

  static constexpr size_t kLine = 1000;
  static constexpr size_t kShort = 200;

 private:
  const Redactor& redactor_;
  Color color_;
};

}  // namespace assay
