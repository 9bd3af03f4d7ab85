#include <fmt/format.h>

#include <array>

#include "check/describe.h"
#include "check/placed_check.h"
#include "check/read_pattern.h"
#include "check/tools.h"

namespace assay {
namespace {

constexpr size_t kNearestShown = 2;

struct CallCount {
  int64_t min = 1;
  std::optional<int64_t> max;

  bool allows(size_t n) const {
    auto count = static_cast<int64_t>(n);
    return count >= min && (!max || count <= *max);
  }
  bool is_default() const { return min == 1 && !max; }
  // "exactly 1 time", "at least 2 times", "2 to 3 times"
  std::string describe() const {
    if (max && *max == min) return "exactly " + plural(min, "time");
    if (!max) return "at least " + plural(min, "time");
    return min == 0 ? "at most " + plural(*max, "time") : fmt::format("{} to {}", min, plural(*max, "time"));
  }
};

struct Requirement {
  std::string name;
  CallCount count;
  CallFilter filter;
  bool args_only = false;
  std::string after;
};

class Required final : public PlacedCheck {
 public:
  Required(Requirement requirement, Place source)
      : PlacedCheck("tools.require", std::move(source)), want_(std::move(requirement)), conditions_(want_.filter.describe()) {}

 private:
  Finding judge(const Scope& scope) const override {
    auto calls = calls_in(scope);
    Selection selection = select_calls(calls, want_.name, want_.filter);
    Finding finding = count_finding(selection);
    if (!finding.passed || want_.after.empty() || !selection.first) return finding;
    return after_finding(calls, *selection.first);
  }

  Finding count_finding(const Selection& selection) const {
    bool count_matters = !want_.count.is_default();
    std::string with = conditions_.empty() ? "" : " with " + conditions_;
    std::string after = want_.after.empty() ? "" : fmt::format(" after {}", quote(want_.after));
    std::string times = count_matters ? " " + want_.count.describe() : "";
    Finding finding;
    finding.passed = want_.count.allows(selection.selected.size()) && selection.limit.empty();
    finding.requirement = fmt::format("tool {} must be called{}{}{}", quote(want_.name), times, with, after);
    finding.expected = fmt::format("{} called{}{}{}", quote(want_.name), times, with, after);
    finding.actual = selection.limit.empty() ? actual(selection) : selection.limit;
    finding.found = found(selection);
    return finding;
  }
  std::string actual(const Selection& selection) const {
    if (conditions_.empty() || selection.named == 0) return called_times(selection.named);
    return fmt::format("{} of {}", selection.selected.size(), plural(static_cast<long long>(selection.named), "call"));
  }
  std::string found(const Selection& selection) const {
    if (!selection.limit.empty()) return selection.limit;
    std::string calls = "it was " + called_times(selection.named);
    if (conditions_.empty() || selection.named == 0) return calls;
    std::vector<std::string> nearest = selection.nearest;
    if (nearest.size() > kNearestShown) nearest.resize(kNearestShown), nearest.push_back("and others");
    std::string why = nearest.empty() ? "" : fmt::format(" ({})", join(nearest, ", "));
    return fmt::format("{}, {} of them so{}", calls,
                       selection.selected.empty() ? "none" : std::to_string(selection.selected.size()), why);
  }
  Finding after_finding(const std::vector<const ToolCall*>& calls, size_t first) const {
    auto is_predecessor = [&](const ToolCall* call) { return call->name == want_.after; };
    auto at = std::find_if(calls.begin(), calls.end(), is_predecessor);
    bool before = at - calls.begin() < static_cast<std::ptrdiff_t>(first);
    Finding finding;
    finding.passed = before;
    finding.requirement = fmt::format("tool {} must be called after {}", quote(want_.name), quote(want_.after));
    finding.expected = fmt::format("{} after {}", quote(want_.name), quote(want_.after));
    finding.actual = before              ? "called after"
                     : at == calls.end() ? fmt::format("{} was never called", quote(want_.after))
                                         : "called before";
    finding.found = at == calls.end() ? finding.actual : "it was " + finding.actual;
    return finding;
  }

  Requirement want_;
  std::string conditions_;
};

struct CountFields {
  std::optional<int64_t> exact, min, max;
};

constexpr auto kCountFields = std::to_array<Field<CountFields>>({
    {"exact", "number", "this many calls",
     [](Reader& r, const Node& n, CountFields& out) { out.exact = r.integer(n, "`exact`", 0); }},
    {"min", "number", "at least", [](Reader& r, const Node& n, CountFields& out) { out.min = r.integer(n, "`min`", 0); }},
    {"max", "number", "at most", [](Reader& r, const Node& n, CountFields& out) { out.max = r.integer(n, "`max`", 0); }},
});

// `max` alone says nothing about a least number.
void read_count(Reader& reader, const Node& node, Requirement& out) {
  CountFields count;
  size_t mistakes = reader.errors().size();
  read_fields<CountFields>(reader, node, count, kCountFields, "`count`");
  if (!node.is_map() || reader.errors().size() != mistakes) return;
  if (node.members.empty()) return reader.error(node, "`count` needs `exact`, `min` or `max`");
  if (node.find("exact") && node.members.size() > 1)
    return reader.error(node, "`count` takes `exact`, or `min` and `max`, not both");
  if (count.min && count.max && *count.min > *count.max)
    return reader.error(node, fmt::format("`count`: `min` {} is above `max` {}", *count.min, *count.max));
  out.count = count.exact ? CallCount{*count.exact, count.exact} : CallCount{count.min.value_or(0), count.max};
}

void read_args(Reader& reader, const Node& node, Requirement& out) {
  if (reader.map(node, "`args`")) out.filter.args = Matcher::read_fields(reader, node);
}

constexpr auto kFields = std::to_array<Field<Requirement>>({
    {"name", "text", "the tool", [](Reader& r, const Node& n, Requirement& out) { out.name = r.text(n, "`name`").value_or(""); },
     Field<Requirement>::kRequired},
    {"count", "map", "how many of the selected calls: exact, or min and max (default: at least one)", read_count},
    {"args_match", "map", "patterns by dotted path into the arguments",
     [](Reader& r, const Node& n, Requirement& out) { read_arg_patterns(r, n, "`args_match`", out.filter.args_match); }},
    {"args_not_match", "map", "patterns that are not found, by dotted path into the arguments",
     [](Reader& r, const Node& n, Requirement& out) { read_arg_patterns(r, n, "`args_not_match`", out.filter.args_not_match); }},
    {"args", "map", "matchers by argument", read_args},
    {"args_only", "boolean", "no other arguments than those named",
     [](Reader& r, const Node& n, Requirement& out) { out.args_only = r.boolean(n, "`args_only`").value_or(false); }},
    {"result_match", "pattern", "a pattern for the result",
     [](Reader& r, const Node& n, Requirement& out) { out.filter.result_match = read_pattern(r, n, "`result_match`"); }},
    {"result_not_match", "pattern", "a pattern that is not found in the result",
     [](Reader& r, const Node& n, Requirement& out) { out.filter.result_not_match = read_pattern(r, n, "`result_not_match`"); }},
    {"result", "any", "a value or matchers by field for the result",
     [](Reader& r, const Node& n, Requirement& out) { out.filter.result = Matcher::read_fields(r, n); }},
    {"after", "text", "a tool that was called before",
     [](Reader& r, const Node& n, Requirement& out) { out.after = r.text(n, "`after`").value_or(""); }},
});

// Every argument that is named in the item is expected; under `equals` the arguments are one level down.
void restrict_arguments(const Node& item, CallFilter& filter) {
  filter.args_only.emplace();
  for (std::string_view key : {"args", "args_match", "args_not_match"}) {
    const Node* map = item.find(key);
    if (map && key == "args" && map->members.size() == 1 && map->find("equals")) map = map->find("equals");
    if (!map) continue;
    for (const auto& member : map->members)
      filter.args_only->insert(member.key.text);
  }
}

}  // namespace

void compile_require(const KeyInput& in) {
  if (!in.reader.list(in.node, "`require`")) return;
  for (const auto& item : in.node.items) {
    Requirement requirement;
    read_fields<Requirement>(in.reader, item, requirement, kFields, "an item of `require`");
    if (!item.is_map() || item.has_deferred()) continue;
    if (requirement.args_only) restrict_arguments(item, requirement.filter);
    in.out.push_back(std::make_shared<Required>(std::move(requirement), item.place()));
  }
}

}  // namespace assay
