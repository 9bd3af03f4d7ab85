// Without it valijson ends the process where a schema is bad.
#define VALIJSON_USE_EXCEPTIONS 1
#include "check/schema.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/text.h"
#include "check/pattern.h"

// valijson matches with std::regex, which overflows the stack on long text and never ends on some. These
// specialisations of its visitor put our patterns in their place.
namespace valijson {
namespace {

// A schema's pattern has no /…/flags form: the group keeps a leading slash a slash.
assay::Result<assay::Pattern> schema_pattern(const std::string& text) { return assay::Pattern::compile("(?:" + text + ")"); }

bool matches(const std::string& pattern, const std::string& subject) {
  auto compiled = schema_pattern(pattern);
  return compiled && compiled->search(subject) == assay::Pattern::Match::kYes;
}

struct Format {
  std::string_view name;
  std::string pattern;
};

const std::vector<Format>& formats() {
  static const std::string date = "[0-9]+-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])";
  static const std::string time =
      "([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";
  static const std::vector<Format> all = {
      {"date", "^" + date + "$"}, {"time", "^" + time + "$"}, {"date-time", "^" + date + "[Tt]" + time + "$"}};
  return all;
}

template <class Target>
bool matches_or_reports(const Target& target, const std::string& pattern, const std::vector<std::string>& context,
                        ValidationResults* results) {
  if (!target.isString() || matches(pattern, target.asString())) return true;
  if (results) results->pushError(context, "does not match the pattern " + assay::quote(pattern));
  return false;
}

}  // namespace

using Target = adapters::NlohmannJsonAdapter;
using KeyTarget = adapters::StdStringAdapter;
using PatternKey = constraints::PropertiesConstraint::String;

template <>
bool ValidationVisitor<Target>::visit(const PatternConstraint& constraint) {
  return matches_or_reports(m_target, constraint.getPattern<std::string::allocator_type>(), m_context, m_results);
}

template <>
bool ValidationVisitor<KeyTarget>::visit(const PatternConstraint& constraint) {
  return matches_or_reports(m_target, constraint.getPattern<std::string::allocator_type>(), m_context, m_results);
}

template <>
bool ValidationVisitor<Target>::visit(const FormatConstraint& constraint) {
  for (const auto& format : formats())
    if (format.name == constraint.getFormat()) return matches_or_reports(m_target, format.pattern, m_context, m_results);
  return true;
}

template <>
bool ValidationVisitor<KeyTarget>::visit(const FormatConstraint&) {
  return true;
}

template <>
template <>
bool ValidationVisitor<Target>::ValidatePatternPropertySubschemas::operator()(const PatternKey& key,
                                                                              const Subschema* subschema) const {
  const std::string pattern(key.c_str());
  for (const auto member : m_object) {
    if (!matches(pattern, member.first)) continue;
    if (m_propertiesMatched) m_propertiesMatched->insert(member.first);
    std::vector<std::string> context = m_context;
    context.push_back("[" + member.first + "]");
    ValidationVisitor validator(member.second, context, m_strictTypes, m_results, m_regexesCache);
    if (validator.validateSchema(*subschema)) continue;
    if (m_validated) *m_validated = false;
    if (!m_continueOnFailure) return false;
  }
  return m_continueOnSuccess;
}

}  // namespace valijson

namespace assay {
namespace {

// The first pattern anywhere in the schema that does not compile.
std::optional<Error> bad_pattern(const Json& schema) {
  if (!schema.is_structured()) return std::nullopt;
  for (const auto& [key, value] : schema.items()) {
    bool pattern = schema.is_object() && key == "pattern" && value.is_string();
    auto compiled = pattern ? valijson::schema_pattern(value.get<std::string>()) : Result<Pattern>();
    if (!compiled) return compiled.error();
    if (schema.is_object() && key == "patternProperties" && value.is_object())
      for (const auto& [name, unused] : value.items())
        if (auto named = valijson::schema_pattern(name); !named) return named.error();
    if (auto below = bad_pattern(value)) return below;
  }
  return std::nullopt;
}

const Json* local_reference(const Json& root, const Json& at) {
  if (!at.is_object() || !at.contains("$ref") || !at["$ref"].is_string()) return nullptr;
  auto ref = at["$ref"].get<std::string>();
  return ref.starts_with('#') ? find_pointer_or_path(root, ref.substr(1)) : nullptr;
}

// The schemas that are applied to the same value as `at` is.
std::vector<const Json*> same_value_schemas(const Json& root, const Json& at) {
  if (const Json* target = local_reference(root, at)) return {target};
  std::vector<const Json*> out;
  if (!at.is_object()) return out;
  for (const auto& [key, value] : at.items()) {
    bool several = key == "allOf" || key == "anyOf" || key == "oneOf" || key == "dependencies";
    if (key == "not" || key == "if" || key == "then" || key == "else") out.push_back(&value);
    if (several && value.is_structured())
      for (const auto& item : value)
        out.push_back(&item);
  }
  return out;
}

// Does a schema lead back to itself without going down into the value? valijson would never come back.
class CircleSearch {
 public:
  explicit CircleSearch(const Json& root) : root_(root) {}
  bool anywhere(const Json& at) {
    if (circle_from(at)) return true;
    auto below = [&](const Json& child) { return child.is_structured() && anywhere(child); };
    return std::any_of(at.begin(), at.end(), below);
  }

 private:
  bool circle_from(const Json& at) {
    if (done_.contains(&at)) return false;
    if (!open_.insert(&at).second) return true;
    for (const Json* next : same_value_schemas(root_, at))
      if (circle_from(*next)) return true;
    open_.erase(&at);
    done_.insert(&at);
    return false;
  }
  const Json& root_;
  std::set<const Json*> open_;
  std::set<const Json*> done_;
};

// "<root>", "[items]", "[0]" → "items.0"
std::string context_path(const std::vector<std::string>& context) {
  std::vector<std::string> parts;
  for (const auto& part : context)
    if (part.size() > 2 && part.front() == '[') parts.push_back(part.substr(1, part.size() - 2));
  return join(parts, ".");
}

}  // namespace

struct Schema::Impl {
  nlohmann::json document;  // the compiled schema points into it
  valijson::Schema schema;
};

Result<Schema> Schema::compile(const Json& schema) {
  if (!schema.is_object() && !schema.is_boolean()) return fail(ErrorKind::kInput, "a schema must be a map, true or false");
  if (auto error = bad_pattern(schema)) return unexpected<Error>(*error);
  if (CircleSearch(schema).anywhere(schema)) return fail(ErrorKind::kInput, "bad schema: a $ref leads back to itself");
  auto impl = std::make_shared<Impl>();
  try {
    impl->document = nlohmann::json::parse(to_compact(schema));
    if (schema.is_boolean())
      impl->document = schema.get<bool>() ? nlohmann::json::object() : nlohmann::json{{"not", nlohmann::json::object()}};
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(impl->document), impl->schema);
  } catch (const std::exception& e) {
    return fail(ErrorKind::kInput, fmt::format("bad schema: {}", e.what()));
  }
  Schema out;
  out.impl_ = std::move(impl);
  return out;
}

std::optional<std::string> Schema::violation(const Json& value) const {
  try {
    auto document = nlohmann::json::parse(to_compact(value));
    valijson::Validator validator;
    valijson::ValidationResults results;
    if (validator.validate(impl_->schema, valijson::adapters::NlohmannJsonAdapter(document), &results)) return std::nullopt;
    valijson::ValidationResults::Error error;
    if (!results.popError(error)) return "does not satisfy the schema";
    std::string path = context_path(error.context);
    return path.empty() ? error.description : path + ": " + error.description;
  } catch (const std::exception& e) {
    return fmt::format("the schema cannot be applied: {}", e.what());
  }
}

}  // namespace assay
