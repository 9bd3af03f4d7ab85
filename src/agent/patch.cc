#include "agent/patch.h"

#include <charconv>
#include <span>

namespace assay {
namespace {

constexpr size_t kMostDepth = JsonLimits{}.depth;
constexpr size_t kMostBytes = 64u << 20;  // of the whole state: a few copies of copies would fill the memory

// Takes the size of a value from what is left; false where it is too deep or too large.
bool fits(const Json& value, size_t depth_left, size_t& bytes_left) {
  size_t bytes = sizeof(Json) + (value.is_string() ? value.get_ref<const std::string&>().size() : 0);
  if (depth_left == 0 || bytes > bytes_left) return false;
  bytes_left -= bytes;
  if (!value.is_structured()) return true;
  return std::all_of(value.begin(), value.end(), [&](const Json& item) { return fits(item, depth_left - 1, bytes_left); });
}

// The library's own patch asserts (and in a release build does nothing) where a path leads into a string or a number.

const Json* member(const Json& object, std::string_view key) {
  auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

std::optional<std::vector<std::string>> tokens(const Json* pointer) {
  if (!pointer || !pointer->is_string()) return std::nullopt;
  std::string_view rest = pointer->get_ref<const std::string&>();
  std::vector<std::string> out;
  if (!rest.empty() && rest[0] != '/') return std::nullopt;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '/') {
      out.emplace_back();
    } else if (rest[i] == '~') {
      if (++i == rest.size() || (rest[i] != '0' && rest[i] != '1')) return std::nullopt;
      out.back() += rest[i] == '0' ? '~' : '/';
    } else {
      out.back() += rest[i];
    }
  }
  return out;
}

// An index up to `most`: digits without a leading zero.
std::optional<size_t> index(const std::string& token, size_t most) {
  size_t out = 0;
  auto [end, ec] = std::from_chars(token.data(), token.data() + token.size(), out);
  bool whole = ec == std::errc() && end == token.data() + token.size() && (token.size() == 1 || token[0] != '0');
  return whole && out <= most ? std::optional(out) : std::nullopt;
}

Json* child(Json& parent, const std::string& token) {
  if (parent.is_object()) {
    auto it = parent.find(token);
    return it == parent.end() ? nullptr : &*it;
  }
  if (!parent.is_array() || parent.empty()) return nullptr;
  auto i = index(token, parent.size() - 1);
  return i ? &parent[*i] : nullptr;
}

Json* find(Json& root, std::span<const std::string> path) {
  Json* at = &root;
  for (const auto& token : path)
    if (at = child(*at, token); !at) return nullptr;
  return at;
}

bool add(Json& root, std::span<const std::string> path, Json value) {
  if (path.empty()) return root = std::move(value), true;
  Json* parent = find(root, path.first(path.size() - 1));
  if (!parent) return false;
  if (parent->is_object()) return (*parent)[path.back()] = std::move(value), true;
  if (!parent->is_array()) return false;
  if (path.back() == "-") return parent->push_back(std::move(value)), true;
  auto i = index(path.back(), parent->size());
  if (i) parent->insert(parent->begin() + static_cast<std::ptrdiff_t>(*i), std::move(value));
  return i.has_value();
}

bool remove(Json& root, std::span<const std::string> path) {
  if (path.empty() || !find(root, path)) return false;
  Json& parent = *find(root, path.first(path.size() - 1));
  if (parent.is_object())
    parent.erase(path.back());
  else
    parent.erase(*index(path.back(), parent.size()));
  return true;
}

bool apply_one(Json& root, std::string_view op, const Json& operation, size_t& copied) {
  auto path = tokens(member(operation, "path"));
  if (!path) return false;
  if (op == "remove") return remove(root, *path);
  if (op == "move" || op == "copy") {
    auto from = tokens(member(operation, "from"));
    Json* source = from ? find(root, *from) : nullptr;
    if (!source || !fits(*source, kMostDepth, copied)) return false;
    Json value = *source;
    if (op == "copy") return add(root, *path, std::move(value));
    return *from == *path || (remove(root, *from) && add(root, *path, std::move(value)));
  }
  const Json* value = member(operation, "value");
  if (!value) return false;
  if (op == "add") return add(root, *path, *value);
  Json* target = find(root, *path);
  if (!target) return false;
  if (op == "test") return json_equal(*target, *value);
  *target = *value;
  return true;
}

}  // namespace

bool apply_patch(Json& target, const Json& patch) {
  if (!patch.is_array()) return false;
  Json changed = target;
  size_t copied = kMostBytes;
  for (const auto& operation : patch) {
    const Json* op = operation.is_object() ? member(operation, "op") : nullptr;
    if (!op || !op->is_string()) continue;
    const auto& name = op->get_ref<const std::string&>();
    for (std::string_view known : {"add", "remove", "replace", "move", "copy", "test"})
      if (name == known && !apply_one(changed, known, operation, copied)) return false;
  }
  size_t bytes = kMostBytes;
  if (!fits(changed, kMostDepth, bytes)) return false;
  target = std::move(changed);
  return true;
}

}  // namespace assay
