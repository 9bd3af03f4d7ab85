#include "report/console_text.h"

#include "base/text.h"

namespace assay {
namespace {

std::string_view code(Tint tint) {
  switch (tint) {
    case Tint::kGood: return "\x1b[32m";
    case Tint::kBad: return "\x1b[31m";
    case Tint::kWarn: return "\x1b[33m";
    case Tint::kDim: return "\x1b[2m";
  }
  return "";
}

}  // namespace

// Secrets go first: cutting before would leave halves of them.
std::string ConsoleText::line(std::string_view text, size_t max) const { return visible(shorten(redactor_.apply(text), max)); }

std::string ConsoleText::value(const Json& json, size_t max) const {
  Json copy = json;
  redactor_.apply_to_strings(copy);
  return visible(shorten(text_form(copy), max));
}

std::string ConsoleText::block(std::string_view text, std::string_view indent) const {
  std::string safe = visible(redactor_.apply(text), Newlines::kKeep);
  std::string out;
  for (const std::string& each : split(trim(safe), '\n'))
    out += std::string(indent) + each + "\n";
  return out;
}

std::string ConsoleText::tinted(Tint tint, std::string_view text) const {
  if (color_ == Color::kOff) return std::string(text);
  return std::string(code(tint)) + std::string(text) + "\x1b[0m";
}

}  // namespace assay
