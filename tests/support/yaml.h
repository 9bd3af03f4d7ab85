#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/reader.h"
#include "load/yaml.h"

namespace assay::testing {

inline tl::expected<Document, Errors> try_yaml(std::string text) {
  return parse_yaml(std::make_shared<Source>(Source{"test.yaml", std::move(text)}));
}

// A document that must be right.
inline Document yaml(std::string text) {
  auto document = try_yaml(std::move(text));
  if (document) return std::move(*document);
  for (const auto& error : document.error())
    ADD_FAILURE() << render_error(error);
  return Document{std::make_shared<Source>(), Node()};
}

// "3:7 message" for each mistake, one to a line.
inline std::string listed(const Errors& errors) {
  std::string out;
  for (const auto& e : errors)
    out += std::to_string(e.place.line) + ":" + std::to_string(e.place.column) + " " + e.message + "\n";
  return out;
}
inline std::string yaml_mistakes(std::string text) {
  auto document = try_yaml(std::move(text));
  return document ? "" : listed(document.error());
}

// What a place points at, out of its own line.
inline std::string pointed(const Place& place) {
  if (place.column < 1 || static_cast<size_t>(place.column) > place.text.size() + 1) return "(outside the line)";
  return place.text.substr(static_cast<size_t>(place.column) - 1, static_cast<size_t>(place.length));
}

}  // namespace assay::testing
