#include "load/variables.h"

#include <fmt/format.h>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::string_view kNameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";

// One `${…}` in a text.
struct Reference {
  size_t from = 0;  // of the '$'
  size_t to = 0;    // behind the '}'
  std::string name;
  std::optional<std::string> fallback;
  bool well_formed = false;

  bool is_env() const { return name.rfind("ENV.", 0) == 0; }
};

// The first reference at or behind `from`; "$${" is stepped over.
std::optional<Reference> next_reference(std::string_view text, size_t from) {
  for (size_t at = from; (at = text.find('$', at)) != std::string_view::npos; ++at) {
    if (text.substr(at, 3) == "$${") {
      at += 2;
      continue;
    }
    if (text.substr(at, 2) != "${") continue;
    Reference ref{at, at + 2, {}, std::nullopt, false};
    size_t end = std::min(text.find_first_not_of(kNameCharacters, at + 2), text.size());
    ref.name = text.substr(at + 2, end - at - 2);
    if (text.substr(end, 2) == ":-") {
      size_t close = text.find('}', end);
      if (close == std::string_view::npos) return ref;
      ref.fallback = std::string(text.substr(end + 2, close - end - 2));
      end = close;
    }
    ref.well_formed = !ref.name.empty() && end < text.size() && text[end] == '}';
    ref.to = ref.well_formed ? end + 1 : at + 2;
    return ref;
  }
  return std::nullopt;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "$${") ++i;
    out += text[i];
  }
  return out;
}

Node from_json(const Json& value, const Node& at) {
  Node node;
  node.source = at.source, node.line = at.line, node.column = at.column, node.length = at.length;
  if (value.is_object()) {
    node.kind = Node::Kind::kMap;
    for (const auto& [key, item] : value.items())
      node.members.push_back({from_json(key, at), from_json(item, at)});
  } else if (value.is_array()) {
    node.kind = Node::Kind::kList;
    for (const auto& item : value)
      node.items.push_back(from_json(item, at));
  } else {
    node.scalar = value;
    node.text = text_form(value);
    node.kind = value.is_null()      ? Node::Kind::kNull
                : value.is_boolean() ? Node::Kind::kBool
                : value.is_number()  ? Node::Kind::kNumber
                                     : Node::Kind::kString;
  }
  return node;
}

class Resolver {
 public:
  Resolver(const Bindings& bindings, Reader& reader) : bindings_(bindings), reader_(reader) {}

  Node resolve(const Node& node) {
    if (node.is_string() && node.text.find("${") != std::string::npos) return resolve_text(node);
    if (!node.is_list() && !node.is_map()) return node;
    Node out = node;
    for (auto& item : out.items)
      item = resolve(item);
    for (auto& member : out.members)
      member.value = resolve(member.value);
    return out;
  }

 private:
  struct Value {
    Json json;
    bool untyped = false;  // came as text: from the environment, a default
  };

  std::optional<Value> lookup(const Reference& ref) const {
    if (ref.is_env()) {
      auto value = bindings_.env->variable(ref.name.substr(4));
      if (!value && !ref.fallback) value = bindings_.env->unset;
      if (value && bindings_.secrets) bindings_.secrets->add(*value);
      if (value) return Value{*value, true};
    } else if (auto it = bindings_.variables->find(ref.name); it != bindings_.variables->end()) {
      return Value{it->second, it->second.is_string()};
    }
    if (ref.fallback) return Value{*ref.fallback, true};
    return std::nullopt;
  }

  // A node that points at the reference inside its text, as far as one line of source allows.
  static Node at_reference(const Node& node, const Reference& ref) {
    Node at = node;
    Place place = node.place();
    size_t from = node.column > 0 ? static_cast<size_t>(node.column) - 1 : 0;
    std::string_view written = std::string_view(node.text).substr(ref.from, ref.to - ref.from);
    size_t found = place.text.find(written, from);
    for (size_t earlier = node.text.find(written); earlier < ref.from; earlier = node.text.find(written, earlier + 1))
      found = place.text.find(written, found == std::string::npos ? found : found + 1);
    if (found == std::string::npos) return at;
    at.column = static_cast<int>(found) + 1;
    at.length = static_cast<int>(written.size());
    return at;
  }

  void report(const Node& node, const Reference& ref) {
    Node at = at_reference(node, ref);
    if (!ref.well_formed)
      reader_.error(at, "`${` begins no variable", "write ${NAME}, ${ENV.NAME} or ${NAME:-text}; $${ is a literal ${");
    else if (ref.is_env())
      reader_.error(at, fmt::format("environment variable {} is not set", ref.name.substr(4)),
                    fmt::format("set it, or give a default: ${{{}:-text}}", ref.name));
    else
      reader_.error(at, fmt::format("unknown variable {}", ref.name), known_names(ref.name));
  }

  std::string known_names(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& [key, value] : *bindings_.variables)
      names.push_back(key);
    return names.empty() ? "no variable is set: see vars, --var and hooks" : suggestion(name, names, "known variables");
  }

  Node resolve_text(const Node& node) {
    std::string out;
    size_t done = 0;
    bool deferred = false;
    bool wrong = false;
    while (auto ref = next_reference(node.text, done)) {
      auto value = ref->well_formed ? lookup(*ref) : std::nullopt;
      bool whole = ref->from == 0 && ref->to == node.text.size();
      bool may_wait = ref->well_formed && !ref->is_env() && bindings_.unknown == Bindings::Unknown::kDefer;
      if (value && whole) return typed(*value, node);
      if (!value && !may_wait) report(node, *ref), wrong = true;
      if (!value && may_wait) deferred = true;
      out += unescape(std::string_view(node.text).substr(done, ref->from - done));
      if (value) out += text_form(value->json);
      done = ref->to;
    }
    out += unescape(std::string_view(node.text).substr(done));
    Node result = node;
    if (deferred || wrong) {
      result.kind = Node::Kind::kDeferred;
      return result;
    }
    result.text = out;
    result.scalar = std::move(out);
    return result;
  }

  static Node typed(const Value& value, const Node& at) {
    Node node = from_json(value.json, at);
    node.from_text = value.untyped;
    return node;
  }

  const Bindings& bindings_;
  Reader& reader_;
};

}  // namespace

Node resolve_variables(const Node& node, const Bindings& bindings, Reader& reader) {
  return Resolver(bindings, reader).resolve(node);
}

bool add_vars(const Node& vars, const Variables& fixed, const Bindings& bindings, Variables& known, Reader& reader) {
  if (!reader.map(vars, "`vars`")) return true;
  bool complete = true;
  for (const auto& member : vars.members) {
    if (fixed.contains(member.key.text)) continue;
    Node value = resolve_variables(member.value, bindings, reader);
    bool waits = value.has_deferred();
    complete = complete && !waits;
    if (waits)
      known.erase(member.key.text);
    else
      known[member.key.text] = value.to_json();
  }
  return complete;
}

bool names_variables(const Node& node) {
  if (node.is_string()) {
    for (size_t from = 0;;) {
      auto ref = next_reference(node.text, from);
      if (!ref) return false;
      if (!ref->is_env()) return true;
      from = ref->to;
    }
  }
  return std::any_of(node.items.begin(), node.items.end(), names_variables) ||
         std::any_of(node.members.begin(), node.members.end(), [](const auto& m) { return names_variables(m.value); });
}

}  // namespace assay
