#include "serve/template.h"

#include <array>

#include "base/json.h"

namespace assay {
namespace {

struct Placeholder {
  std::string_view name;
  std::string_view TemplateValues::*value;
};
constexpr std::array kPlaceholders = {
    Placeholder{"{{message}}", &TemplateValues::message},
    Placeholder{"{{turn}}", &TemplateValues::turn},
    Placeholder{"{{threadId}}", &TemplateValues::thread_id},
    Placeholder{"{{runId}}", &TemplateValues::run_id},
};

const Placeholder* placeholder_at(std::string_view text) {
  for (const auto& placeholder : kPlaceholders)
    if (text.starts_with(placeholder.name)) return &placeholder;
  return nullptr;
}

}  // namespace

Template::Template(std::string_view text, Escape escape) : escape_(escape) {
  size_t from = 0;
  for (size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at)) {
    const Placeholder* found = placeholder_at(text.substr(at));
    if (!found) {
      ++at;
      continue;
    }
    parts_.push_back({std::string(text.substr(from, at - from)), found->value});
    from = at += found->name.size();
  }
  parts_.push_back({std::string(text.substr(from)), nullptr});
}

void Template::append_to(std::string& out, const TemplateValues& values) const {
  for (const auto& part : parts_) {
    out += part.text;
    if (!part.value) continue;
    std::string_view value = values.*part.value;
    if (escape_ == Escape::kNone) {
      out += value;
      continue;
    }
    std::string quoted;
    append_json_string(value, quoted);
    out.append(quoted, 1, quoted.size() - 2);
  }
}

std::string Template::expand(const TemplateValues& values) const {
  std::string out;
  append_to(out, values);
  return out;
}

}  // namespace assay
