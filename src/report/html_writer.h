#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

// Writes HTML and owns all its escaping: text and attribute values may be anything, tags and attribute names are the
// program's own. Control characters and bidirectional overrides are shown, not obeyed.
class HtmlWriter {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;  // an empty value: name only
  using Sink = std::function<void(std::string_view)>;

  explicit HtmlWriter(Sink sink) : sink_(std::move(sink)) {}

  // An open element; its end closes it.
  class Element {
   public:
    Element(HtmlWriter& writer, std::string_view tag) : writer_(writer), tag_(tag) {}
    ~Element() { writer_.end(tag_); }
    Element(const Element&) = delete;
    Element& operator=(const Element&) = delete;

   private:
    HtmlWriter& writer_;
    std::string_view tag_;
  };

  void doctype();
  [[nodiscard]] Element open(std::string_view tag, Attributes attributes = {});
  void leaf(std::string_view tag, std::string_view text, Attributes attributes = {});
  void single(std::string_view tag, Attributes attributes);  // an element without an end: meta
  void text(std::string_view text);
  void style(std::string_view css);  // the program's own

 private:
  void begin(std::string_view tag, Attributes attributes);
  void end(std::string_view tag);

  Sink sink_;
};

}  // namespace assay
