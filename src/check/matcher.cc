#include "check/matcher.h"

#include <fmt/format.h>

#include "base/text.h"
#include "check/describe.h"
#include "check/matcher_impl.h"

namespace assay {
namespace {

using Match = Pattern::Match;

std::string below(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

// Several matchers over the same value: all of them.
class All final : public Matcher::Impl {
 public:
  explicit All(std::vector<MatcherPtr> parts) : parts_(std::move(parts)) {}
  Match match(const Json* value, MatchTrace& trace) const override {
    for (const auto& part : parts_)
      if (Match answer = part->match(value, trace); answer != Match::kYes) return answer;
    return Match::kYes;
  }
  std::string describe() const override {
    std::vector<std::string> words;
    for (const auto& part : parts_)
      words.push_back(part->describe());
    return join(words, " and ");
  }

 private:
  std::vector<MatcherPtr> parts_;
};

class Fields final : public Matcher::Impl {
 public:
  using Field = std::pair<std::string, MatcherPtr>;
  explicit Fields(std::vector<Field> fields) : fields_(std::move(fields)) {}
  Match match(const Json* value, MatchTrace& trace) const override {
    for (const auto& [key, matcher] : fields_) {
      MatchTrace inner{below(trace.path, key), {}};
      Match answer = matcher->match(value ? find_path(*value, key) : nullptr, inner);
      if (answer == Match::kYes) continue;
      trace.why = std::move(inner.why);
      return answer;
    }
    return Match::kYes;
  }
  std::string describe() const override {
    std::vector<std::string> words;
    for (const auto& [key, matcher] : fields_)
      words.push_back(fmt::format("{} {}", visible(key), matcher->describe()));
    return join(words, ", ");
  }

 private:
  std::vector<Field> fields_;
};

bool all_operators(const Node& node) {
  return std::all_of(node.members.begin(), node.members.end(),
                     [](const auto& m) { return find_operator(m.key.text) != nullptr; });
}

MatcherPtr read_operators(Reader& reader, const Node& node) {
  std::vector<MatcherPtr> parts;
  for (const auto& member : node.members)
    if (auto part = find_operator(member.key.text)->read(reader, member.value)) parts.push_back(std::move(part));
  return std::make_shared<All>(std::move(parts));
}

MatcherPtr read_members(Reader& reader, const Node& node) {
  std::vector<Fields::Field> fields;
  for (const auto& member : node.members)
    if (auto matcher = read_matcher(reader, member.value)) fields.emplace_back(member.key.text, std::move(matcher));
  return std::make_shared<Fields>(std::move(fields));
}

}  // namespace

MatcherPtr read_matcher(Reader& reader, const Node& node) {
  if (node.is_deferred()) return nullptr;
  if (!node.is_map() || node.members.empty()) return read_equal(node);
  return all_operators(node) ? read_operators(reader, node) : read_members(reader, node);
}

Match MatchTrace::no(std::string_view expected, const Json* found) {
  std::string what = found ? show(*found) : "nothing";
  why = fmt::format("{}{}expected {}, found {}", visible(path), path.empty() ? "" : ": ", expected, what);
  return Match::kNo;
}

Match MatchTrace::limit(std::string_view pattern) {
  why = fmt::format("{}{}the pattern {} ran into the match limit", visible(path), path.empty() ? "" : ": ", show_text(pattern));
  return Match::kLimit;
}

std::optional<Matcher> Matcher::read(Reader& reader, const Node& node) {
  auto impl = read_matcher(reader, node);
  if (!impl) return std::nullopt;
  return Matcher(std::move(impl));
}

std::optional<Matcher> Matcher::read_fields(Reader& reader, const Node& node) {
  if (!node.is_map()) return read(reader, node);
  bool escaped = node.members.size() == 1 && node.members[0].key.text == "equals";
  return Matcher(escaped ? read_operators(reader, node) : read_members(reader, node));
}

Match Matcher::match(const Json* value, std::string& why) const {
  MatchTrace trace;
  Match answer = impl_->match(value, trace);
  why = std::move(trace.why);
  return answer;
}

std::optional<std::string> Matcher::mismatch(const Json* value) const {
  std::string why;
  if (match(value, why) == Match::kYes) return std::nullopt;
  return why;
}

std::string Matcher::describe() const { return impl_->describe(); }

}  // namespace assay
