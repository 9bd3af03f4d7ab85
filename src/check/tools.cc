#include "check/tools.h"

#include <fmt/format.h>

#include <array>

#include "check/describe.h"
#include "check/placed_check.h"
#include "check/read_pattern.h"

namespace assay {
namespace {

std::string show_call(const ToolCall& call, bool with_result) {
  std::string arguments = call.arguments_text ? show_text(*call.arguments_text) : show(call.arguments);
  if (!with_result) return "arguments " + arguments;
  return fmt::format("arguments {}, {}", arguments, call.result ? "result " + show(*call.result) : "no result");
}

// No call of the tool for which all conditions hold; without conditions, no call at all.
class Forbidden final : public PlacedCheck {
 public:
  Forbidden(std::string_view type, std::string name, CallFilter filter, Place source)
      : PlacedCheck(type, std::move(source)),
        name_(std::move(name)),
        filter_(std::move(filter)),
        conditions_(filter_.describe()) {}

 private:
  Finding judge(const Scope& scope) const override {
    Selection selection = select_calls(calls_in(scope), name_, filter_);
    Finding finding;
    finding.passed = selection.selected.empty() && selection.limit.empty();
    finding.requirement =
        fmt::format("tool {} {}", quote(name_), conditions_.empty() ? "is forbidden" : "must not be called with " + conditions_);
    finding.expected = fmt::format("no call of {}{}", quote(name_), conditions_.empty() ? "" : " with " + conditions_);
    finding.actual = selection.limit.empty() ? called_times(selection.selected.size()) : selection.limit;
    finding.found = found(selection);
    return finding;
  }
  std::string found(const Selection& selection) const {
    if (!selection.limit.empty()) return selection.limit;
    if (selection.selected.empty())
      return selection.named ? fmt::format("it was {}, never so", called_times(selection.named)) : "it was never called";
    size_t n = selection.selected.size();
    std::string first = show_call(*selection.selected[0], !conditions_.empty());
    return fmt::format("it was {} ({}{})", called_times(n), n > 1 ? "first with " : "", first);
  }

  std::string name_;
  CallFilter filter_;
  std::string conditions_;
};

void compile_forbid(const KeyInput& in) {
  if (!in.reader.list(in.node, "`forbid`")) return;
  for (const auto& item : in.node.items)
    if (auto name = in.reader.text(item, "an item of `forbid`"))
      in.out.push_back(std::make_shared<Forbidden>("tools.forbid", *name, CallFilter{}, item.place()));
}

struct ForbiddenCall {
  std::string name;
  CallFilter filter;
};

constexpr auto kForbidCallFields = std::to_array<Field<ForbiddenCall>>({
    {"name", "text", "the tool",
     [](Reader& r, const Node& n, ForbiddenCall& out) { out.name = r.text(n, "`name`").value_or(""); },
     Field<ForbiddenCall>::kRequired},
    {"args_match", "map", "patterns by dotted path into the arguments",
     [](Reader& r, const Node& n, ForbiddenCall& out) { read_arg_patterns(r, n, "`args_match`", out.filter.args_match); }},
    {"result_match", "pattern", "a pattern for the result",
     [](Reader& r, const Node& n, ForbiddenCall& out) { out.filter.result_match = read_pattern(r, n, "`result_match`"); }},
});

// An item with a deferred condition is left out whole: without it the check would forbid more than was meant.
void compile_forbid_calls(const KeyInput& in) {
  if (!in.reader.list(in.node, "`forbid_calls`")) return;
  for (const auto& item : in.node.items) {
    ForbiddenCall call;
    read_fields<ForbiddenCall>(in.reader, item, call, kForbidCallFields, "an item of `forbid_calls`");
    if (item.is_map() && !item.has_deferred())
      in.out.push_back(
          std::make_shared<Forbidden>("tools.forbid_calls", std::move(call.name), std::move(call.filter), item.place()));
  }
}

constexpr auto kKeys = std::to_array<BlockKey>({
    {"tools.forbid", Reach::kList, "list of text", "tools that must not be called", compile_forbid},
    {"tools.require", Reach::kRequirement, "list of map", "tools that must be called: how often, with what, after what",
     compile_require},
    {"tools.forbid_calls", Reach::kList, "list of map", "calls that must not be made, by arguments and result",
     compile_forbid_calls},
    {"tools.order", Reach::kRequirement, "list of text", "the trajectory: names in the order of their calls", compile_order},
    {"tools.order_mode", Reach::kRequirement, "text", "subsequence (default), exact, set or superset", compile_order_mode},
});

}  // namespace

Selection select_calls(const std::vector<const ToolCall*>& calls, const std::string& name, const CallFilter& filter) {
  Selection out;
  size_t fewest = SIZE_MAX;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i]->name != name) continue;
    ++out.named;
    auto answer = filter.test(*calls[i]);
    if (!answer.limit.empty()) {
      out.limit = answer.limit;
    } else if (answer.reasons.empty()) {
      if (!out.first) out.first = i;
      out.selected.push_back(calls[i]);
    } else if (answer.reasons.size() <= fewest) {
      if (answer.reasons.size() < fewest) out.nearest.clear();
      fewest = answer.reasons.size();
      out.nearest.push_back(fmt::format("call {}: {}", out.named, join(answer.reasons, " and ")));
    }
  }
  return out;
}

std::span<const BlockKey> tool_keys() { return kKeys; }

}  // namespace assay
