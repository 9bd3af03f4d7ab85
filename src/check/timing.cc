#include <fmt/format.h>

#include <array>

#include "check/block_key.h"
#include "check/describe.h"
#include "check/placed_check.h"

namespace assay {
namespace {

// What was measured; without a value, why it could not be.
struct Measure {
  std::optional<Duration> value;
  std::string missing;
  bool missing_passes = false;
};

struct Limit {
  std::string_view key;
  std::string_view what;
  Measure (*measure)(const Scope&);
};

bool has_times(const Scope& scope) { return scope.first != scope.last && scope.start() != kNoTime && scope.end() != kNoTime; }

std::vector<Time> call_times(const Scope& scope) {
  std::vector<Time> times;
  for (const Turn* turn = scope.first; turn != scope.last; ++turn)
    for (const auto& call : turn->tool_calls)
      if (call.timestamp() != kNoTime) times.push_back(call.timestamp());
  std::sort(times.begin(), times.end());
  return times;
}

Duration longest_gap(const std::vector<Time>& times) {
  Duration longest{};
  for (size_t i = 1; i < times.size(); ++i)
    longest = std::max(longest, times[i] - times[i - 1]);
  return longest;
}

Measure duration(const Scope& scope) {
  if (!has_times(scope)) return {std::nullopt, "no turn has run", false};
  return {scope.end() - scope.start(), {}, false};
}

Measure idle(const Scope& scope) {
  if (!has_times(scope)) return {std::nullopt, "no turn has run", false};
  std::vector<Time> times = call_times(scope);
  times.insert(times.begin(), scope.start());
  times.push_back(scope.end());
  return {longest_gap(times), {}, false};
}

Measure gap(const Scope& scope) {
  std::vector<Time> times = call_times(scope);
  if (times.size() < 2)
    return {std::nullopt, fmt::format("there was no gap, {}", plural(static_cast<long long>(times.size()), "call")), true};
  return {longest_gap(times), {}, false};
}

Measure first_text(const Scope& scope) {
  for (const Turn* turn = scope.first; turn != scope.last; ++turn)
    if (turn->first_text != kNoTime && scope.start() != kNoTime) return {turn->first_text - scope.start(), {}, false};
  return {std::nullopt, "there was no text", false};
}

constexpr Limit kDuration = {"timing.max_duration_ms", "duration", duration};
constexpr Limit kIdle = {"timing.max_idle_ms", "longest time without tool activity", idle};
constexpr Limit kGap = {"timing.max_gap_ms", "longest gap between tool calls", gap};
constexpr Limit kFirstText = {"timing.max_first_text_ms", "time to the first text", first_text};

class TimeLimit final : public PlacedCheck {
 public:
  TimeLimit(const Limit& limit, Duration max, Place source)
      : PlacedCheck(limit.key, std::move(source)), limit_(limit), max_(max) {}

 private:
  Finding judge(const Scope& scope) const override {
    Measure measure = limit_.measure(scope);
    Finding finding;
    finding.passed = measure.value ? *measure.value <= max_ : measure.missing_passes;
    finding.requirement = fmt::format("{} must be at most {}", limit_.what, show_ms(max_));
    finding.found = measure.value ? fmt::format("it was {}", show_ms(*measure.value)) : measure.missing;
    finding.expected = fmt::format("at most {}", show_ms(max_));
    finding.actual = measure.value ? show_ms(*measure.value) : measure.missing;
    return finding;
  }
  const Limit& limit_;
  Duration max_;
};

template <const Limit& limit>
void compile(const KeyInput& in) {
  auto max = in.reader.milliseconds(in.node, fmt::format("`{}`", limit.key.substr(limit.key.find('.') + 1)));
  if (max) in.out.push_back(std::make_shared<TimeLimit>(limit, *max, in.node.place()));
}

constexpr auto kKeys = std::to_array<BlockKey>({
    {kDuration.key, Reach::kScalar, "number", "longest time from the request to the end", compile<kDuration>},
    {kIdle.key, Reach::kScalar, "number", "longest time without tool activity, start and end included", compile<kIdle>},
    {kGap.key, Reach::kScalar, "number", "longest gap between consecutive tool calls", compile<kGap>},
    {kFirstText.key, Reach::kScalar, "number", "longest time from the request to the first text", compile<kFirstText>},
});

}  // namespace

std::span<const BlockKey> timing_keys() { return kKeys; }

}  // namespace assay
