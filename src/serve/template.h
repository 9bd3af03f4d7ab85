#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "serve/request.h"

namespace assay {

// What the placeholders of a script stand for in one request.
struct TemplateValues {
  std::string_view message;
  std::string_view turn;
  std::string_view thread_id;
  std::string_view run_id;
  std::string_view resume = {};  // JSON of the first payload
  std::string_view tool = {};    // the first client-side tool
  const Json* state = nullptr;
};

// The values of one request, which outlives them.
struct Placeholders {
  explicit Placeholders(const RunRequest& request);
  Placeholders(const Placeholders&) = delete;
  Placeholders& operator=(const Placeholders&) = delete;

  std::string turn;
  std::string resume;
  TemplateValues values;
};

// A text with {{message}}, {{turn}}, {{state.PATH}} and the like in it, split once when the file is read. Other words in
// double braces are text.
class Template {
 public:
  enum class Escape { kNone, kJson };  // kJson: the text is JSON, values are escaped to stand inside its strings
  Template() = default;
  explicit Template(std::string_view text, Escape escape = Escape::kNone);

  void append_to(std::string& out, const TemplateValues& values) const;
  std::string expand(const TemplateValues& values) const;

 private:
  struct Part {
    std::string text;
    std::string_view TemplateValues::*value = nullptr;  // follows the text
    std::string state;                                  // or the value at this path of the state
  };
  void append_value(std::string_view value, std::string& out) const;
  std::vector<Part> parts_;
  Escape escape_ = Escape::kNone;
};

}  // namespace assay
