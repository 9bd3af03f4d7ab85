#include <fmt/format.h>

#include <array>
#include <set>

#include "check/describe.h"
#include "check/placed_check.h"
#include "check/tools.h"

namespace assay {
namespace {

using Names = std::vector<std::string>;

struct OrderMode {
  std::string_view name;
  std::string_view words;
  bool (*holds)(const Names& expected, const Names& called);
};

bool is_subsequence(const Names& expected, const Names& called) {
  size_t at = 0;
  for (const auto& name : called)
    if (at < expected.size() && expected[at] == name) ++at;
  return at == expected.size();
}
bool is_exact(const Names& expected, const Names& called) { return expected == called; }
bool is_set(const Names& expected, const Names& called) {
  return std::set(expected.begin(), expected.end()) == std::set(called.begin(), called.end());
}
bool is_superset(const Names& expected, const Names& called) {
  std::set<std::string> names(called.begin(), called.end());
  return std::all_of(expected.begin(), expected.end(), [&](const std::string& name) { return names.contains(name); });
}

constexpr auto kModes = std::to_array<OrderMode>({
    {"subsequence", "in this order", is_subsequence},
    {"exact", "exactly in this order", is_exact},
    {"set", "in any order and no others", is_set},
    {"superset", "in any order", is_superset},
});

class Order final : public PlacedCheck {
 public:
  Order(const OrderMode& mode, Names expected, Place source)
      : PlacedCheck("tools.order", std::move(source)), mode_(mode), expected_(std::move(expected)) {}

 private:
  Finding judge(const Scope& scope) const override {
    Names called;
    for (const auto* call : calls_in(scope))
      called.push_back(call->name);
    std::string names = expected_.empty() ? "no tools" : show_names(expected_);
    Finding finding;
    finding.passed = mode_.holds(expected_, called);
    finding.requirement = fmt::format("tools must be called {}: {}", mode_.words, names);
    finding.expected = fmt::format("{} ({})", names, mode_.name);
    finding.actual = called.empty() ? "no calls" : show_names(called);
    finding.found = called.empty() ? "no tool was called" : "called were " + finding.actual;
    return finding;
  }
  const OrderMode& mode_;
  Names expected_;
};

std::optional<size_t> read_mode(Reader& reader, const Node& node) {
  Names names;
  for (const auto& mode : kModes)
    names.emplace_back(mode.name);
  return reader.word(node, "`order_mode`", names);
}

}  // namespace

void compile_order(const KeyInput& in) {
  Reader unheard;  // mistakes in the mode are noted where it is compiled
  const Node* mode_node = in.parent.find("order_mode");
  size_t mode = mode_node ? read_mode(unheard, *mode_node).value_or(0) : 0;
  Names names = in.reader.texts(in.node, "`order`");
  if (in.node.is_list()) in.out.push_back(std::make_shared<Order>(kModes[mode], std::move(names), in.node.place()));
}

void compile_order_mode(const KeyInput& in) {
  read_mode(in.reader, in.node);
  if (!in.parent.find("order")) in.reader.error(in.node, "`order_mode` needs `order`");
}

}  // namespace assay
