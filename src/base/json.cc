#include "base/json.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/text.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace assay {
namespace {

// Builds a value from nlohmann's parser events within the limits. A repeated key takes the last value.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (stack_.back()->size() >= limits_.object_members) {
      error_ = fmt::format("an object has more than {} members", limits_.object_members);
      return false;
    }
    slot_ = &(*stack_.back())[name];
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    if (error_.empty()) error_ = fmt::format("not JSON at byte {}: {}", position, reason(e.what()));
    return false;
  }

  Json take() { return std::move(root_); }
  const std::string& error() const { return error_; }

 private:
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …" → what follows the position.
  static std::string reason(std::string_view what) {
    size_t at = what.find(": ");
    return std::string(at == std::string_view::npos ? what : what.substr(at + 2));
  }
  Json* place(Json value) {
    if (stack_.empty()) return root_ = std::move(value), &root_;
    if (stack_.back()->is_array()) return stack_.back()->push_back(std::move(value)), &stack_.back()->back();
    *slot_ = std::move(value);
    return slot_;
  }
  bool add(Json value) { return place(std::move(value)), true; }
  bool open(Json value) {
    if (stack_.size() >= limits_.depth) {
      error_ = fmt::format("nested deeper than {} levels", limits_.depth);
      return false;
    }
    stack_.push_back(place(std::move(value)));
    return true;
  }
  bool close() { return stack_.pop_back(), true; }

  const JsonLimits& limits_;
  Json root_;
  std::vector<Json*> stack_;
  Json* slot_ = nullptr;
  std::string error_;
};

int hex4(std::string_view text) {
  int value = 0;
  if (text.size() < 4) return -1;
  auto [end, ec] = std::from_chars(text.data(), text.data() + 4, value, 16);
  return ec == std::errc() && end == text.data() + 4 ? value : -1;
}

// \ud83d without its other half, which JSON.parse takes and UTF-8 cannot hold, becomes \ufffd.
std::string without_lone_surrogates(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\' || i + 1 >= text.size()) {
      out += text[i++];
      continue;
    }
    int unit = text[i + 1] == 'u' ? hex4(text.substr(i + 2)) : -1;
    if (unit < 0xD800 || unit > 0xDFFF) {
      out += text.substr(i, 2);
      i += 2;
      continue;
    }
    bool high = unit < 0xDC00 && text.substr(i + 6, 2) == "\\u";
    int next = high ? hex4(text.substr(i + 8)) : -1;
    bool pair = next >= 0xDC00 && next <= 0xDFFF;
    out += pair ? text.substr(i, 12) : std::string_view("\\ufffd");
    i += pair ? 12 : 6;
  }
  return out;
}

bool parse_index(std::string_view text, size_t& index) {
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), index);
  return !text.empty() && ec == std::errc() && end == text.data() + text.size();
}

const Json* child(const Json& value, std::string_view key) {
  if (value.is_object()) {
    auto it = value.find(key);
    return it == value.end() ? nullptr : &*it;
  }
  size_t index = 0;
  if (value.is_array() && parse_index(key, index) && index < value.size()) return &value[index];
  return nullptr;
}

const Json* find_pointer(const Json& value, std::string_view pointer) {
  const Json* at = &value;
  while (at && !pointer.empty()) {
    pointer.remove_prefix(1);
    std::string key(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(key.size());
    for (size_t i = 0; (i = key.find('~', i)) != std::string::npos; ++i)
      if (key.compare(i, 2, "~1") == 0)
        key.replace(i, 2, "/");
      else if (key.compare(i, 2, "~0") == 0)
        key.replace(i, 2, "~");
    at = child(*at, key);
  }
  return at;
}

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  std::string repaired;
  if (!is_valid_utf8(text)) text = repaired = valid_utf8(text);
  Builder builder(limits);
  if (Json::sax_parse(text, &builder)) return builder.take();
  if (text.find("\\u") != std::string_view::npos) {
    std::string fixed = without_lone_surrogates(text);
    Builder again(limits);
    if (fixed != text && Json::sax_parse(fixed, &again)) return again.take();
  }
  return fail(ErrorKind::kInput, builder.error());
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";
  if (value == 0) return "0";
  char buffer[40];
  auto [end, ec] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  std::string sign = text[0] == '-' ? "-" : "";
  if (!sign.empty()) text.remove_prefix(1);
  size_t e = text.find('e');
  int exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  int n = static_cast<int>(digits.size());
  int point = exponent + 1;  // digits before the decimal point
  if (point > 21 || point < -5) {
    std::string mantissa = n == 1 ? digits : digits.substr(0, 1) + "." + digits.substr(1);
    return fmt::format("{}{}e{}{}", sign, mantissa, exponent < 0 ? "-" : "+", std::abs(exponent));
  }
  if (point <= 0) return sign + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  if (point >= n) return sign + digits + std::string(static_cast<size_t>(point - n), '0');
  return sign + digits.substr(0, static_cast<size_t>(point)) + "." + digits.substr(static_cast<size_t>(point));
}

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  for (unsigned char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      default:
        if (c < 0x20)
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
        else
          out += static_cast<char>(c);
    }
  }
  out += '"';
}

void append_compact(const Json& value, std::string& out) {
  char separator = 0;
  auto separate = [&] {
    if (separator) out += separator;
    separator = ',';
  };
  switch (value.type()) {
    case Json::value_t::object:
      out += '{';
      for (const auto& [key, item] : value.items()) {
        separate();
        append_json_string(key, out);
        out += ':';
        append_compact(item, out);
      }
      out += '}';
      return;
    case Json::value_t::array:
      out += '[';
      for (const auto& item : value) {
        separate();
        append_compact(item, out);
      }
      out += ']';
      return;
    case Json::value_t::string: {
      const auto& text = value.get_ref<const std::string&>();
      return append_json_string(is_valid_utf8(text) ? text : valid_utf8(text), out);
    }
    case Json::value_t::boolean: out += value.get<bool>() ? "true" : "false"; return;
    case Json::value_t::number_integer: out += std::to_string(value.get<int64_t>()); return;
    case Json::value_t::number_unsigned: out += std::to_string(value.get<uint64_t>()); return;
    case Json::value_t::number_float: out += number_text(value.get<double>()); return;
    default: out += "null";
  }
}

std::string to_compact(const Json& value) {
  std::string out;
  append_compact(value, out);
  return out;
}

std::string text_form(const Json& value) { return value.is_string() ? value.get<std::string>() : to_compact(value); }

bool json_equal(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return a == b;
  if (a.type() != b.type()) return false;
  if (a.is_object()) {
    if (a.size() != b.size()) return false;
    for (const auto& [key, value] : a.items()) {
      auto other = b.find(key);
      if (other == b.end() || !json_equal(value, *other)) return false;
    }
    return true;
  }
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), b.end(), json_equal);
  return a == b;
}

std::string_view json_type(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return "boolean";
  if (value.is_number()) return "number";
  if (value.is_string()) return "string";
  return value.is_array() ? "array" : "object";
}

const Json* find_path(const Json& value, std::string_view dotted) {
  if (const Json* literal = child(value, dotted)) return literal;
  // Each prefix that exists may lead on: keys with dots in them are found at any depth.
  for (size_t dot = dotted.find('.'); dot != std::string_view::npos; dot = dotted.find('.', dot + 1)) {
    const Json* next = child(value, dotted.substr(0, dot));
    if (!next) continue;
    if (const Json* found = find_path(*next, dotted.substr(dot + 1))) return found;
  }
  return nullptr;
}

const Json* find_pointer_or_path(const Json& value, std::string_view path) {
  if (path.empty()) return &value;
  return path[0] == '/' ? find_pointer(value, path) : find_path(value, path);
}

}  // namespace assay
