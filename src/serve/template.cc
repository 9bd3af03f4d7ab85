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
    Placeholder{"{{message}}", &TemplateValues::message},    Placeholder{"{{turn}}", &TemplateValues::turn},
    Placeholder{"{{threadId}}", &TemplateValues::thread_id}, Placeholder{"{{runId}}", &TemplateValues::run_id},
    Placeholder{"{{resume}}", &TemplateValues::resume},      Placeholder{"{{tool}}", &TemplateValues::tool},
};
constexpr std::string_view kState = "{{state.";

const Placeholder* placeholder_at(std::string_view text) {
  for (const auto& placeholder : kPlaceholders)
    if (text.starts_with(placeholder.name)) return &placeholder;
  return nullptr;
}

// The path in {{state.PATH}}; empty where the text does not begin with such.
std::string_view state_path_at(std::string_view text) {
  if (!text.starts_with(kState)) return {};
  std::string_view rest = text.substr(kState.size());
  size_t end = rest.find_first_of("{}\"\\\n");
  return end != std::string_view::npos && rest.substr(end, 2) == "}}" ? rest.substr(0, end) : std::string_view();
}

}  // namespace

Placeholders::Placeholders(const RunRequest& request) : turn(std::to_string(request.turn)) {
  if (!request.resume.empty()) resume = to_compact(request.resume[0].payload);
  std::string_view tool = request.tools.empty() ? std::string_view() : request.tools[0];
  values = {request.message, turn, request.thread_id, request.run_id, resume, tool, &request.state};
}

Template::Template(std::string_view text, Escape escape) : escape_(escape) {
  size_t from = 0;
  for (size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at)) {
    const Placeholder* found = placeholder_at(text.substr(at));
    std::string_view path = state_path_at(text.substr(at));
    if (!found && path.empty()) {
      ++at;
      continue;
    }
    parts_.push_back({std::string(text.substr(from, at - from)), found ? found->value : nullptr, std::string(path)});
    from = at += found ? found->name.size() : kState.size() + path.size() + 2;
  }
  parts_.push_back({std::string(text.substr(from)), nullptr, {}});
}

void Template::append_value(std::string_view value, std::string& out) const {
  if (escape_ == Escape::kNone) {
    out += value;
    return;
  }
  std::string quoted;
  append_json_string(value, quoted);
  out.append(quoted, 1, quoted.size() - 2);
}

void Template::append_to(std::string& out, const TemplateValues& values) const {
  for (const auto& part : parts_) {
    out += part.text;
    if (part.value) append_value(values.*part.value, out);
    const Json* state = part.state.empty() || !values.state ? nullptr : find_path(*values.state, part.state);
    if (state) append_value(text_form(*state), out);
  }
}

std::string Template::expand(const TemplateValues& values) const {
  std::string out;
  append_to(out, values);
  return out;
}

}  // namespace assay
