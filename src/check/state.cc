#include <fmt/format.h>

#include <array>

#include "check/block_key.h"
#include "check/describe.h"
#include "check/matcher.h"
#include "check/placed_check.h"
#include "check/read_pattern.h"

namespace assay {
namespace {

constexpr std::string_view kType = "state";

const Json* state_of(const Scope& scope) {
  const Turn* turn = scope.first == scope.last ? nullptr : scope.last - 1;
  return turn && turn->state ? &*turn->state : nullptr;
}

Finding state_finding(const Scope& scope, const std::string& path, const std::string& expected) {
  const Json* state = state_of(scope);
  const Json* value = state ? find_pointer_or_path(*state, path) : nullptr;
  Finding finding;
  finding.passed = false;
  finding.requirement = path.empty() ? "state must be " + expected : fmt::format("state {} must be {}", quote(path), expected);
  finding.expected = expected;
  finding.actual = !state ? "no state" : value ? show(*value) : "missing";
  finding.found = !state ? "the agent sent no state" : value ? "it is " + finding.actual : "it is missing";
  return finding;
}

class StatePattern final : public PlacedCheck {
 public:
  StatePattern(std::string path, Pattern pattern, Place source)
      : PlacedCheck(kType, std::move(source)), path_(std::move(path)), pattern_(std::move(pattern)) {}

 private:
  Finding judge(const Scope& scope) const override {
    Finding finding = state_finding(scope, path_, "a match for " + show_text(pattern_.text()));
    const Json* state = state_of(scope);
    const Json* value = state ? find_pointer_or_path(*state, path_) : nullptr;
    if (!value) return finding;
    Pattern::Match match = pattern_.search(text_form(*value));
    finding.passed = match == Pattern::Match::kYes;
    if (match == Pattern::Match::kLimit) finding.found = finding.actual = "the pattern ran into the match limit";
    return finding;
  }
  std::string path_;
  Pattern pattern_;
};

class StateMatcher final : public PlacedCheck {
 public:
  StateMatcher(std::string path, Matcher matcher, Place source)
      : PlacedCheck(kType, std::move(source)), path_(std::move(path)), matcher_(std::move(matcher)) {}

 private:
  Finding judge(const Scope& scope) const override {
    Finding finding = state_finding(scope, path_, matcher_.describe());
    const Json* state = state_of(scope);
    if (!state) return finding;
    auto why = matcher_.mismatch(find_pointer_or_path(*state, path_));
    finding.passed = !why;
    if (why) finding.found = *why;
    return finding;
  }
  std::string path_;
  Matcher matcher_;
};

void compile_path(const KeyInput& in, const std::string& path, const Node& value) {
  if (value.is_string()) {
    if (auto pattern = read_pattern(in.reader, value, "`state`"))
      in.out.push_back(std::make_shared<StatePattern>(path, std::move(*pattern), value.place()));
  } else if (auto matcher = Matcher::read(in.reader, value)) {
    in.out.push_back(std::make_shared<StateMatcher>(path, std::move(*matcher), value.place()));
  }
}

// `equals` alone is the whole state.
void compile(const KeyInput& in) {
  if (!in.reader.map(in.node, "`state`")) return;
  bool whole = in.node.members.size() == 1 && in.node.members[0].key.text == "equals";
  if (!whole) {
    for (const auto& member : in.node.members)
      compile_path(in, member.key.text, member.value);
  } else if (auto matcher = Matcher::read_fields(in.reader, in.node)) {
    in.out.push_back(std::make_shared<StateMatcher>("", std::move(*matcher), in.node.members[0].value.place()));
  }
}

constexpr auto kKeys = std::to_array<BlockKey>({
    {kType, Reach::kRequirement, "map",
     "by pointer or dotted path: a pattern, a value or a matcher for the state after the scope", compile},
});

}  // namespace

std::span<const BlockKey> state_keys() { return kKeys; }

}  // namespace assay
