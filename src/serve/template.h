#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// What the placeholders of a script stand for in one request.
struct TemplateValues {
  std::string_view message;
  std::string_view turn;
  std::string_view thread_id;
  std::string_view run_id;
};

// A text with {{message}}, {{turn}}, {{threadId}} and {{runId}} in it, split once when the file is read.
// Other words in double braces are text.
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
    std::string_view TemplateValues::*value;  // follows the text; null in the last part
  };
  std::vector<Part> parts_;
  Escape escape_ = Escape::kNone;
};

}  // namespace assay
