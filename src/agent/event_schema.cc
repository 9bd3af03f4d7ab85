#include "agent/event_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "agent/event_shapes.h"
#include "base/text.h"

namespace assay {
namespace {

using namespace schema;
using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

std::string_view type_word(element value) {
  switch (value.type()) {
    case element_type::OBJECT: return "an object";
    case element_type::ARRAY: return "a list";
    case element_type::STRING: return "text";
    case element_type::BOOL: return "a boolean";
    case element_type::NULL_VALUE: return "null";
    default: return "a number";
  }
}

bool is_whole(element value) {
  constexpr double kLargest = 9007199254740991.0;
  if (!value.is_number()) return false;
  double number = value.get_double().value_unsafe();
  return number == std::trunc(number) && std::abs(number) <= kLargest;
}

bool is_pointer(std::string_view text) {
  if (!text.empty() && text[0] != '/') return false;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1'))) return false;
  return true;
}

// The name a key was probably meant to be: thread_id → threadId, and the two known mix-ups.
std::string meant(std::string_view key, EventType type) {
  if (key == "result" && type == EventType::kToolResult) return "content";
  if (key == "error" && type == EventType::kRunError) return "message";
  std::string out;
  for (size_t i = 0; i < key.size(); ++i) {
    bool joint = key[i] == '_' && i + 1 < key.size();
    if (joint) ++i;
    out += joint && key[i] >= 'a' && key[i] <= 'z' ? static_cast<char>(key[i] - 'a' + 'A') : key[i];
  }
  return out;
}

// Where in the event: a chain on the stack, written out only where something is wrong.
struct Path {
  const Path* up = nullptr;
  std::string_view name;
  size_t index = 0;

  std::string text() const {
    if (!up) return std::string(name);
    return name.empty() ? fmt::format("{}[{}]", up->text(), index) : fmt::format("{}.{}", up->text(), visible(shorten(name, 60)));
  }
};

class FieldJudge {
 public:
  FieldJudge(const AguiEvent& event, const SchemaSink& sink) : event_(event), sink_(sink) {}

  bool judge(const EventShape& row) {
    Path root{nullptr, event_.type_name, 0};
    attributed_ = row.attributed;
    members(event_.object, row.fields, true, root);
    return usable_;
  }

 private:
  enum class Fit { kTaken, kUnknown };  // unknown: of a kind nobody knows, readers leave it out

  Fit fit(element value, const Shape& shape, const Path& path) {
    switch (shape.kind) {
      case Kind::kAny: return Fit::kTaken;
      case Kind::kValue: return expect(!value.is_null(), "a value", value, path);
      case Kind::kText: return expect(value.is_string(), "text", value, path);
      case Kind::kWord: return word(value, shape, path);
      case Kind::kPointer: return pointer(value, path);
      case Kind::kWhole: return expect(is_whole(value), "a whole number", value, path);
      case Kind::kCount:
        return expect(is_whole(value) && value.get_double().value_unsafe() >= 0, "a whole number, not below zero", value, path);
      case Kind::kBoolean: return expect(value.is_bool(), "true or false", value, path);
      case Kind::kMap: return expect(value.is_object(), "an object", value, path);
      case Kind::kList: return list(value, shape, path);
      case Kind::kContent: return value.is_string() ? Fit::kTaken : list(value, shape, path);
      case Kind::kObject: return inner(value, shape, path);
      case Kind::kUnion: return choice(value, shape, path);
    }
    return Fit::kTaken;
  }

  Fit expect(bool good, std::string_view wanted, element value, const Path& path) {
    if (good) return Fit::kTaken;
    if (value.is_null()) return error(fmt::format("{} must not be null: leave it out instead", path.text()));
    return error(
        fmt::format("{} must be {}, not {}", path.text(), wanted, value.is_number() ? shown_number(value) : type_word(value)));
  }
  static std::string shown_number(element value) { return simdjson::minify(value); }

  Fit word(element value, const Shape& shape, const Path& path) {
    std::string_view found;
    if (value.get(found) != simdjson::SUCCESS) return expect(false, "text", value, path);
    if (std::find(shape.words.begin(), shape.words.end(), found) != shape.words.end()) return Fit::kTaken;
    std::vector<std::string> names(shape.words.begin(), shape.words.end());
    return error(fmt::format("{} cannot be {}: it is {}{}", path.text(), quote(shorten(found, 40)),
                             names.size() > 1 ? "one of " : "", join(names, ", ")));
  }

  Fit pointer(element value, const Path& path) {
    std::string_view found;
    if (value.get(found) != simdjson::SUCCESS) return expect(false, "text", value, path);
    return is_pointer(found) ? Fit::kTaken
                             : error(fmt::format("{} is no JSON pointer: {}", path.text(), quote(shorten(found, 60))));
  }

  Fit list(element value, const Shape& shape, const Path& path) {
    simdjson::dom::array items;
    if (value.get(items) != simdjson::SUCCESS)
      return expect(false, shape.kind == Kind::kContent ? "text or a list of parts" : "a list", value, path);
    if (items.size() < shape.at_least) return error(fmt::format("{} is empty", path.text()));
    size_t index = 0;
    for (element item : items) {
      Path place{&path, {}, index++};
      if (fit(item, *shape.item, place) == Fit::kUnknown) left_out(place);
    }
    return Fit::kTaken;
  }

  Fit inner(element value, const Shape& shape, const Path& path) {
    object found;
    if (value.get(found) != simdjson::SUCCESS) return expect(false, "an object", value, path);
    return members(found, shape.fields, !shape.open, path);
  }

  Fit choice(element value, const Shape& shape, const Path& path) {
    object found;
    if (value.get(found) != simdjson::SUCCESS) return expect(false, "an object", value, path);
    std::string_view kind;
    if (found[shape.tag].get(kind) != simdjson::SUCCESS) return error(fmt::format("{} has no {}", path.text(), shape.tag));
    for (const auto& member : shape.members)
      if (member.word == kind) return fit(value, *member.shape, path);
    return Fit::kUnknown;
  }

  // The members of an object by their table: each known one once, then those that are missing.
  Fit members(const object& found, std::span<const FieldShape> fields, bool closed, const Path& path) {
    uint32_t seen = 0;
    Fit out = Fit::kTaken;
    for (auto [key, value] : found) {
      if (!path.up && key == "type") continue;  // it chose the row
      const FieldShape* field = known(key, fields, path);
      if (!field) {
        if (closed) unknown(key, found, fields, path);
        continue;
      }
      bool own = field >= fields.data() && field < fields.data() + fields.size();
      if (own) seen |= 1u << (field - fields.data());
      Path place{&path, key, 0};
      if (value.is_null() && field->need == Need::kLegacyNull) {
        sink_("legacy-null", fmt::format("{} is null: leave it out instead", place.text()));
        continue;
      }
      if (fit(value, *field->shape, place) == Fit::kTaken) continue;
      if (field->need == Need::kRequired)
        out = Fit::kUnknown;
      else
        left_out(place);
    }
    for (size_t i = 0; i < fields.size(); ++i)
      if (fields[i].need == Need::kRequired && !(seen >> i & 1u)) missing(fields[i].name, found, path);
    return out;
  }

  const FieldShape* known(std::string_view key, std::span<const FieldShape> fields, const Path& path) const {
    auto named = [&](const FieldShape& field) { return field.name == key; };
    if (auto it = std::find_if(fields.begin(), fields.end(), named); it != fields.end()) return &*it;
    if (path.up) return nullptr;
    auto base = base_fields();
    if (auto it = std::find_if(base.begin(), base.end(), named); it != base.end()) return &*it;
    return attributed_ && key == attribution().name ? &attribution() : nullptr;
  }

  Fit error(std::string message) {
    usable_ = false;
    sink_("schema", std::move(message));
    return Fit::kTaken;
  }
  void left_out(const Path& path) {
    sink_("unknown-field", fmt::format("{} is of a kind that the protocol does not know: readers leave it out", path.text()));
  }
  static bool has(const object& found, std::string_view key) {
    element ignored;
    return found[key].get(ignored) == simdjson::SUCCESS;
  }
  void unknown(std::string_view key, const object& found, std::span<const FieldShape> fields, const Path& path) {
    std::string right = meant(key, event_.type);
    const FieldShape* field = right == key ? nullptr : known(right, fields, path);
    // A wrong key in the place of a required one is reported as what it is: the required one is missing.
    if (field && field->need == Need::kRequired && !has(found, right)) return;
    std::string hint = field ? ": it is called " + right : "";
    sink_("unknown-field", fmt::format("{} has the unknown field {}{}", path.text(), visible(shorten(key, 60)), hint));
  }
  void missing(std::string_view name, const object& found, const Path& path) {
    for (auto [key, value] : found)
      if (meant(key, event_.type) == name)
        return void(error(fmt::format("{} has {} where it must have {}", path.text(), visible(shorten(key, 60)), name)));
    error(fmt::format("{} has no {}", path.text(), name));
  }

  const AguiEvent& event_;
  const SchemaSink& sink_;
  bool attributed_ = true;
  bool usable_ = true;
};

}  // namespace

bool check_event_fields(const AguiEvent& event, const SchemaSink& sink) {
  const EventShape* row = event_row(event.type);
  return !row || FieldJudge(event, sink).judge(*row);
}

}  // namespace assay
