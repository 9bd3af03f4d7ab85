#include "report/html_writer.h"

#include "base/text.h"

namespace assay {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : visible(text, Newlines::kKeep)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

void HtmlWriter::doctype() { sink_("<!DOCTYPE html>\n"); }

void HtmlWriter::begin(std::string_view tag, Attributes attributes) {
  std::string out = "<" + std::string(tag);
  for (const auto& [name, value] : attributes) {
    out += ' ';
    out += name;
    if (!value.empty()) out += "=\"" + escaped(value) + '"';
  }
  sink_(out + ">");
}

void HtmlWriter::end(std::string_view tag) { sink_("</" + std::string(tag) + ">\n"); }

HtmlWriter::Element HtmlWriter::open(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  return {*this, tag};
}

void HtmlWriter::leaf(std::string_view tag, std::string_view content, Attributes attributes) {
  Element element = open(tag, attributes);
  text(content);
}

void HtmlWriter::single(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  sink_("\n");
}

void HtmlWriter::text(std::string_view text) { sink_(escaped(text)); }

void HtmlWriter::style(std::string_view css) {
  Element element = open("style");
  sink_(css);
}

}  // namespace assay
