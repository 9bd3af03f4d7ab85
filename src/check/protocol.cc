#include <fmt/format.h>

#include <array>
#include <map>

#include "check/block_key.h"
#include "check/placed_check.h"
#include "model/conformance_rules.h"

namespace assay {
namespace {

constexpr size_t kShown = 3;

// What the user made of a rule, whatever its own severity.
enum class RuleMode { kOff, kWarn, kError };
using RuleModes = std::map<std::string, RuleMode, std::less<>>;

class Rules final : public PlacedCheck {
 public:
  enum class Others { kAsTheyAre, kNeverFail };  // rules that the user said nothing of
  Rules(RuleModes modes, Others others, Place source)
      : PlacedCheck("protocol", std::move(source)), modes_(std::move(modes)), others_(others) {}

 private:
  Finding judge(const Scope& scope) const override {
    std::vector<std::string> shown;
    size_t errors = 0;
    for (const Turn* turn = scope.first; turn != scope.last; ++turn)
      for (const auto& violation : turn->violations)
        if (is_error(violation) && ++errors <= kShown) shown.push_back(describe(violation));
    if (errors > kShown) shown.push_back(fmt::format("and {} more", errors - kShown));
    Finding finding;
    finding.passed = errors == 0;
    finding.requirement = "the protocol must not be violated";
    finding.expected = "no violations";
    finding.actual = errors ? plural(static_cast<long long>(errors), "violation") : "none";
    finding.found = errors ? fmt::format("{}: {}", finding.actual, join(shown, ", ")) : "it was not";
    return finding;
  }
  bool is_error(const Violation& violation) const {
    auto it = modes_.find(violation.rule);
    if (it != modes_.end()) return it->second == RuleMode::kError;
    return others_ == Others::kAsTheyAre && violation.severity == Severity::kError;
  }
  static std::string describe(const Violation& violation) {
    return fmt::format("{} at event {} ({})", visible(violation.rule), violation.event, visible(shorten(violation.message, 200)));
  }
  RuleModes modes_;
  Others others_;
};

// `off` without quotes is false to some writers of YAML.
std::optional<size_t> read_word(Reader& reader, const Node& node, std::string_view what, std::span<const std::string> words) {
  if (node.kind == Node::Kind::kBool && node.scalar == Json(false)) return 0;
  return reader.word(node, what, words);
}

struct ProtocolSettings {
  std::optional<size_t> mode;
  RuleModes rules;
};

void read_mode(Reader& reader, const Node& node, ProtocolSettings& out) {
  static const std::array<std::string, 3> kModes = {"off", "warn", "strict"};
  out.mode = read_word(reader, node, "`protocol`", kModes);
}

void read_rules(Reader& reader, const Node& node, ProtocolSettings& out) {
  static const std::array<std::string, 3> kModes = {"off", "warn", "error"};
  if (!reader.map(node, "`rules`")) return;
  for (const auto& member : node.members) {
    if (!find_conformance_rule(member.key.text)) {
      std::vector<std::string> names;
      for (const auto& rule : conformance_rules())
        names.emplace_back(rule.name);
      reader.error(member.key, fmt::format("there is no rule {}", quote(member.key.text)),
                   suggestion(member.key.text, names, "rules"));
    }
    if (auto mode = read_word(reader, member.value, fmt::format("rule {}", quote(member.key.text)), kModes))
      out.rules[member.key.text] = static_cast<RuleMode>(*mode);
  }
}

constexpr auto kFields = std::to_array<Field<ProtocolSettings>>({
    {"mode", "text", "strict, warn or off", read_mode, Field<ProtocolSettings>::kRequired},
    {"rules", "map", "off, warn or error by the name of a rule", read_rules},
});

void compile(const KeyInput& in) {
  ProtocolSettings settings;
  if (in.node.is_map())
    read_fields<ProtocolSettings>(in.reader, in.node, settings, kFields, "`protocol`");
  else
    read_mode(in.reader, in.node, settings);
  if (!settings.mode) return;
  bool strict = *settings.mode == 2;
  bool fails = *settings.mode == 1 && std::any_of(settings.rules.begin(), settings.rules.end(),
                                                  [](const auto& rule) { return rule.second == RuleMode::kError; });
  auto others = strict ? Rules::Others::kAsTheyAre : Rules::Others::kNeverFail;
  in.out.push_back(strict || fails ? std::make_shared<Rules>(std::move(settings.rules), others, in.node.place()) : nullptr);
}

constexpr auto kKeys = std::to_array<BlockKey>({
    {"protocol", Reach::kScalar, "text or map", "strict: an error of the protocol fails the turn; warn: it is listed; off",
     compile},
});

}  // namespace

std::span<const BlockKey> protocol_keys() { return kKeys; }

std::vector<std::string> muted_rules(const Node& node) {
  auto is_off = [](const Node& n) { return n.text == "off" || (n.kind == Node::Kind::kBool && n.scalar == Json(false)); };
  if (!node.is_map()) return is_off(node) ? std::vector<std::string>{"*"} : std::vector<std::string>();
  std::vector<std::string> out;
  if (const Node* mode = node.find("mode"); mode && is_off(*mode)) out.emplace_back("*");
  if (const Node* rules = node.find("rules"); rules && rules->is_map())
    for (const auto& member : rules->members)
      if (is_off(member.value)) out.push_back(member.key.text);
  return out;
}

}  // namespace assay
