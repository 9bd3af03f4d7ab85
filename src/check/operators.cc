#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "check/describe.h"
#include "check/matcher_impl.h"
#include "check/read_pattern.h"
#include "check/schema.h"

namespace assay {
namespace {

using Match = Pattern::Match;

// A predicate over a value that is there; a missing one never matches.
class Test final : public Matcher::Impl {
 public:
  using Predicate = std::function<bool(const Json&)>;
  Test(std::string words, Predicate predicate) : words_(std::move(words)), predicate_(std::move(predicate)) {}
  Match match(const Json* value, MatchTrace& trace) const override {
    return value && predicate_(*value) ? Match::kYes : trace.no(words_, value);
  }
  std::string describe() const override { return words_; }

 private:
  std::string words_;
  Predicate predicate_;
};

MatcherPtr test(std::string words, Test::Predicate predicate) {
  return std::make_shared<Test>(std::move(words), std::move(predicate));
}

class Not final : public Matcher::Impl {
 public:
  explicit Not(MatcherPtr inner) : inner_(std::move(inner)) {}
  Match match(const Json* value, MatchTrace& trace) const override {
    MatchTrace inner{trace.path, {}};
    Match answer = inner_->match(value, inner);
    if (answer == Match::kLimit) return trace.why = std::move(inner.why), answer;
    return answer == Match::kNo ? Match::kYes : trace.no(describe(), value);
  }
  std::string describe() const override { return "not " + inner_->describe(); }

 private:
  MatcherPtr inner_;
};

class Regex final : public Matcher::Impl {
 public:
  explicit Regex(Pattern pattern) : pattern_(std::move(pattern)) {}
  Match match(const Json* value, MatchTrace& trace) const override {
    Match answer = value ? pattern_.search(text_form(*value)) : Match::kNo;
    if (answer == Match::kLimit) return trace.limit(pattern_.text());
    return answer == Match::kYes ? answer : trace.no(describe(), value);
  }
  std::string describe() const override { return "a match for " + show_text(pattern_.text()); }

 private:
  Pattern pattern_;
};

class Length final : public Matcher::Impl {
 public:
  explicit Length(MatcherPtr inner) : inner_(std::move(inner)) {}
  Match match(const Json* value, MatchTrace& trace) const override {
    auto length = value ? length_of(*value) : std::nullopt;
    if (!length) return trace.no(describe(), value);
    Json number = *length;
    MatchTrace inner{trace.path.empty() ? "length" : trace.path + " length", {}};
    Match answer = inner_->match(&number, inner);
    trace.why = std::move(inner.why);
    return answer;
  }
  std::string describe() const override { return "length " + inner_->describe(); }

 private:
  static std::optional<size_t> length_of(const Json& value) {
    if (value.is_structured()) return value.size();
    if (!value.is_string()) return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_character));
  }
  MatcherPtr inner_;
};

class Exists final : public Matcher::Impl {
 public:
  explicit Exists(bool expected) : expected_(expected) {}
  Match match(const Json* value, MatchTrace& trace) const override {
    return (value != nullptr) == expected_ ? Match::kYes : trace.no(describe(), value);
  }
  std::string describe() const override { return expected_ ? "a value" : "no value"; }

 private:
  bool expected_;
};

class SchemaMatcher final : public Matcher::Impl {
 public:
  explicit SchemaMatcher(Schema schema) : schema_(std::move(schema)) {}
  Match match(const Json* value, MatchTrace& trace) const override {
    if (!value) return trace.no(describe(), value);
    auto violation = schema_.violation(*value);
    if (!violation) return Match::kYes;
    return trace.no(fmt::format("{} ({})", describe(), show_breach(*violation)), value);
  }
  std::string describe() const override { return "what the schema allows"; }

 private:
  static std::string show_breach(std::string_view violation) {
    if (violation.ends_with('.')) violation.remove_suffix(1);
    return visible(shorten(violation, 200));
  }
  Schema schema_;
};

class AnyOf final : public Matcher::Impl {
 public:
  explicit AnyOf(std::vector<MatcherPtr> choices) : choices_(std::move(choices)) {}
  Match match(const Json* value, MatchTrace& trace) const override {
    Match worst = Match::kNo;
    std::string limit;
    for (const auto& choice : choices_) {
      MatchTrace inner{trace.path, {}};
      Match answer = choice->match(value, inner);
      if (answer == Match::kYes) return answer;
      if (answer == Match::kLimit) worst = answer, limit = std::move(inner.why);
    }
    trace.no(describe(), value);
    if (worst == Match::kLimit) trace.why = std::move(limit);
    return worst;
  }
  std::string describe() const override {
    std::vector<std::string> words;
    for (const auto& choice : choices_)
      words.push_back(choice->describe());
    return "any of: " + join(words, ", ");
  }

 private:
  std::vector<MatcherPtr> choices_;
};

class Each final : public Matcher::Impl {
 public:
  explicit Each(MatcherPtr inner) : inner_(std::move(inner)) {}
  Match match(const Json* value, MatchTrace& trace) const override {
    if (!value || !value->is_array()) return trace.no("a list with " + describe(), value);
    for (size_t i = 0; i < value->size(); ++i) {
      MatchTrace inner{trace.path.empty() ? std::to_string(i) : fmt::format("{}.{}", trace.path, i), {}};
      Match answer = inner_->match(&(*value)[i], inner);
      if (answer == Match::kYes) continue;
      trace.why = std::move(inner.why);
      return answer;
    }
    return Match::kYes;
  }
  std::string describe() const override { return "each " + inner_->describe(); }

 private:
  MatcherPtr inner_;
};

MatcherPtr equal_to(Json expected) {
  std::string words = show(expected);
  return test(std::move(words), [expected = std::move(expected)](const Json& value) { return json_equal(value, expected); });
}

template <class Wrapper>
MatcherPtr wrap(Reader& reader, const Node& node) {
  auto inner = read_matcher(reader, node);
  return inner ? std::make_shared<Wrapper>(std::move(inner)) : nullptr;
}

MatcherPtr read_regex(Reader& reader, const Node& node) {
  auto pattern = read_pattern(reader, node, "`regex`");
  return pattern ? std::make_shared<Regex>(std::move(*pattern)) : nullptr;
}

bool contains(const Json& value, const Json& expected) {
  if (value.is_string()) return value.get_ref<const std::string&>().find(text_form(expected)) != std::string::npos;
  if (value.is_object()) return value.contains(text_form(expected));
  return value.is_array() &&
         std::any_of(value.begin(), value.end(), [&](const Json& item) { return json_equal(item, expected); });
}

MatcherPtr read_contains(Reader&, const Node& node) {
  if (node.is_deferred()) return nullptr;
  Json expected = node.to_json();
  return test("something with " + show(expected), [expected](const Json& value) { return contains(value, expected); });
}

MatcherPtr read_in(Reader& reader, const Node& node) {
  if (!reader.list(node, "`in`")) return nullptr;
  Json choices = node.to_json();
  return test("one of " + show(choices), [choices](const Json& value) { return contains(choices, value); });
}

std::optional<Json> read_bound(Reader& reader, const Node& node, std::string_view name) {
  if (node.kind == Node::Kind::kNumber) return node.scalar;
  if (node.is_deferred()) return std::nullopt;
  double value = 0;
  const char* end = node.text.data() + node.text.size();
  auto [stop, ec] = std::from_chars(node.text.data(), end, value);
  if (node.from_text && ec == std::errc() && stop == end && std::isfinite(value)) return Json(value);
  reader.error(node, fmt::format("`{}` must be a number, not {}", name, node.kind_name()));
  return std::nullopt;
}

struct Comparison {
  std::string_view name;
  std::string_view sign;
  bool (*holds)(const Json& value, const Json& bound);
};
constexpr Comparison kGt = {"gt", ">", [](const Json& a, const Json& b) { return a > b; }};
constexpr Comparison kGte = {"gte", ">=", [](const Json& a, const Json& b) { return a >= b; }};
constexpr Comparison kLt = {"lt", "<", [](const Json& a, const Json& b) { return a < b; }};
constexpr Comparison kLte = {"lte", "<=", [](const Json& a, const Json& b) { return a <= b; }};

template <const Comparison& comparison>
MatcherPtr read_comparison(Reader& reader, const Node& node) {
  auto bound = read_bound(reader, node, comparison.name);
  if (!bound) return nullptr;
  return test(fmt::format("{} {}", comparison.sign, show(*bound)),
              [bound = *bound](const Json& value) { return value.is_number() && comparison.holds(value, bound); });
}

bool is_integer(const Json& value) {
  return value.is_number_integer() || (value.is_number() && value.get<double>() == std::floor(value.get<double>()));
}

MatcherPtr read_type(Reader& reader, const Node& node) {
  static const std::array<std::string, 7> kTypes = {"null", "boolean", "number", "integer", "string", "array", "object"};
  Node word = node;  // a bare `null` is meant as the word
  if (node.is_null()) word.kind = Node::Kind::kString, word.text = "null";
  auto index = reader.word(word, "`type`", kTypes);
  if (!index) return nullptr;
  const std::string& type = kTypes[*index];
  return test("type " + type,
              [type](const Json& value) { return type == "integer" ? is_integer(value) : json_type(value) == type; });
}

MatcherPtr read_length(Reader& reader, const Node& node) {
  if (node.is_map()) return wrap<Length>(reader, node);
  auto length = reader.integer(node, "`length`", 0);
  return length ? std::make_shared<Length>(equal_to(*length)) : nullptr;
}

MatcherPtr read_exists(Reader& reader, const Node& node) {
  auto expected = reader.boolean(node, "`exists`");
  return expected ? std::make_shared<Exists>(*expected) : nullptr;
}

MatcherPtr read_schema(Reader& reader, const Node& node) {
  if (node.has_deferred()) return nullptr;
  auto schema = Schema::compile(node.to_json());
  if (schema) return std::make_shared<SchemaMatcher>(std::move(*schema));
  reader.error(node, "`schema`: " + schema.error().message);
  return nullptr;
}

MatcherPtr read_any_of(Reader& reader, const Node& node) {
  if (!reader.list(node, "`any_of`")) return nullptr;
  if (node.items.empty()) return reader.error(node, "`any_of` needs at least one choice"), nullptr;
  std::vector<MatcherPtr> choices;
  for (const auto& item : node.items)
    if (auto choice = read_matcher(reader, item)) choices.push_back(std::move(choice));
  return std::make_shared<AnyOf>(std::move(choices));
}

MatcherPtr read_equals(Reader&, const Node& node) { return node.is_deferred() ? nullptr : read_equal(node); }

constexpr auto kOperators = std::to_array<MatchOperator>({
    {"equals", "any", "the same JSON value: 1 equals 1.0, objects without order", read_equals},
    {"not", "matcher", "the matcher does not match", wrap<Not>},
    {"regex", "pattern", "the pattern is found in the value's text", read_regex},
    {"contains", "any", "a substring of text, a member of a list, a key of an object", read_contains},
    {"in", "list of any", "one of the values", read_in},
    {"gt", "number", "a number above", read_comparison<kGt>},
    {"gte", "number", "a number not below", read_comparison<kGte>},
    {"lt", "number", "a number below", read_comparison<kLt>},
    {"lte", "number", "a number not above", read_comparison<kLte>},
    {"type", "text", "null, boolean, number, integer, string, array or object", read_type},
    {"length", "matcher", "the number of characters, items or members", read_length},
    {"exists", "boolean", "the value is there (null counts as a value)", read_exists},
    {"schema", "map", "the value satisfies the JSON Schema", read_schema},
    {"any_of", "list of matcher", "at least one of the matchers matches", read_any_of},
    {"each", "matcher", "every item of the list matches", wrap<Each>},
});

}  // namespace

MatcherPtr read_equal(const Node& node) { return equal_to(node.to_json()); }

const MatchOperator* find_operator(std::string_view name) {
  auto it = std::find_if(kOperators.begin(), kOperators.end(), [&](const MatchOperator& op) { return op.name == name; });
  return it == kOperators.end() ? nullptr : &*it;
}

}  // namespace assay
