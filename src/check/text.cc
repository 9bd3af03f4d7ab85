#include <fmt/format.h>

#include <array>

#include "check/block_key.h"
#include "check/describe.h"
#include "check/placed_check.h"
#include "check/read_pattern.h"

namespace assay {
namespace {

// Turns without text leave no empty line.
std::string all_text(const Scope& scope) {
  std::string out;
  for (const Turn* turn = scope.first; turn != scope.last; ++turn) {
    std::string text = turn->text();
    if (!out.empty() && !text.empty()) out += '\n';
    out += text;
  }
  return out;
}

std::string final_text(const Scope& scope) {
  for (const Turn* turn = scope.last; turn != scope.first; --turn)
    if (std::string text = (turn - 1)->final_text(); !text.empty()) return text;
  return {};
}

struct TextRule {
  std::string_view key;
  std::string_view what;
  std::string (*text)(const Scope&);
  Pattern::Match wanted;
};
constexpr TextRule kMatch = {"text.must_match", "text", all_text, Pattern::Match::kYes};
constexpr TextRule kNotMatch = {"text.must_not_match", "text", all_text, Pattern::Match::kNo};
constexpr TextRule kFinalMatch = {"text.final.must_match", "final text", final_text, Pattern::Match::kYes};
constexpr TextRule kFinalNotMatch = {"text.final.must_not_match", "final text", final_text, Pattern::Match::kNo};

class TextCheck final : public PlacedCheck {
 public:
  TextCheck(const TextRule& rule, WrittenPattern written)
      : PlacedCheck(rule.key, std::move(written.place)), rule_(rule), pattern_(std::move(written.pattern)) {}

 private:
  Finding judge(const Scope& scope) const override {
    std::string text = rule_.text(scope);
    Pattern::Match match = pattern_.search(text);
    std::string_view negation = rule_.wanted == Pattern::Match::kYes ? "" : "not ";
    Finding finding;
    finding.passed = match == rule_.wanted;
    finding.requirement = fmt::format("{} must {}match {}", rule_.what, negation, show_text(pattern_.text()));
    finding.expected = fmt::format("{}a match for {}", negation, show_text(pattern_.text()));
    finding.actual = text.empty() ? "no text" : show_text(text);
    finding.found = "found " + finding.actual;
    if (match == Pattern::Match::kLimit) finding.found = finding.actual = "the pattern ran into the match limit";
    return finding;
  }
  const TextRule& rule_;
  Pattern pattern_;
};

template <const TextRule& rule>
void compile(const KeyInput& in) {
  for (auto& written : read_patterns(in.reader, in.node, fmt::format("`{}`", rule.key.substr(rule.key.rfind('.') + 1))))
    in.out.push_back(std::make_shared<TextCheck>(rule, std::move(written)));
}

constexpr auto kKeys = std::to_array<BlockKey>({
    {kMatch.key, Reach::kRequirement, "pattern or list of pattern", "patterns the assistant text must match", compile<kMatch>},
    {kNotMatch.key, Reach::kList, "pattern or list of pattern", "patterns the assistant text must not match", compile<kNotMatch>},
    {kFinalMatch.key, Reach::kRequirement, "pattern or list of pattern", "patterns the final text must match",
     compile<kFinalMatch>},
    {kFinalNotMatch.key, Reach::kList, "pattern or list of pattern", "patterns the final text must not match",
     compile<kFinalNotMatch>},
});

}  // namespace

std::span<const BlockKey> text_keys() { return kKeys; }

}  // namespace assay
