#include <fmt/format.h>

#include <array>

#include "check/block_key.h"
#include "check/placed_check.h"

namespace assay {
namespace {

using Count = std::optional<int64_t>;

struct TokenKind {
  std::string_view key;
  std::string_view what;
  Count (*count)(const Usage&);
};

Count total(const Usage& usage) {
  if (usage.total_tokens) return usage.total_tokens;
  if (!usage.input_tokens || !usage.output_tokens) return std::nullopt;
  return *usage.input_tokens + *usage.output_tokens;
}

constexpr TokenKind kTotal = {"usage.max_tokens", "tokens", total};
constexpr TokenKind kInput = {"usage.max_input_tokens", "input tokens", [](const Usage& u) { return u.input_tokens; }};
constexpr TokenKind kOutput = {"usage.max_output_tokens", "output tokens", [](const Usage& u) { return u.output_tokens; }};

// One turn that does not report makes the sum unknown: a limit is never passed on an undercount.
class TokenLimit final : public PlacedCheck {
 public:
  TokenLimit(const TokenKind& kind, int64_t max, Place source)
      : PlacedCheck(kind.key, std::move(source)), kind_(kind), max_(max) {}

 private:
  Finding judge(const Scope& scope) const override {
    int64_t sum = 0;
    std::string missing;
    for (const Turn* turn = scope.first; turn != scope.last && missing.empty(); ++turn) {
      Count count = turn->usage ? kind_.count(*turn->usage) : std::nullopt;
      if (!count)
        missing =
            scope.turn ? "the agent did not report it" : fmt::format("the agent did not report it in turn {}", turn->number);
      sum += count.value_or(0);
    }
    Finding finding;
    finding.passed = missing.empty() && sum <= max_;
    finding.requirement = fmt::format("usage must be at most {} {}", max_, kind_.what);
    finding.found = missing.empty() ? fmt::format("it was {}", sum) : missing;
    finding.expected = fmt::format("at most {} {}", max_, kind_.what);
    finding.actual = missing.empty() ? std::to_string(sum) : "not reported";
    return finding;
  }
  const TokenKind& kind_;
  int64_t max_;
};

template <const TokenKind& kind>
void compile(const KeyInput& in) {
  auto max = in.reader.integer(in.node, fmt::format("`{}`", kind.key.substr(kind.key.find('.') + 1)), 0);
  if (max) in.out.push_back(std::make_shared<TokenLimit>(kind, *max, in.node.place()));
}

constexpr auto kKeys = std::to_array<BlockKey>({
    {kTotal.key, Reach::kScalar, "number", "most tokens, input and output together", compile<kTotal>},
    {kInput.key, Reach::kScalar, "number", "most input tokens", compile<kInput>},
    {kOutput.key, Reach::kScalar, "number", "most output tokens", compile<kOutput>},
});

}  // namespace

std::span<const BlockKey> usage_keys() { return kKeys; }

}  // namespace assay
