#pragma once
#include <memory>
#include <string>

#include "base/node.h"

namespace assay {

// Reads one YAML 1.2 document into nodes with places. Mistakes: syntax, duplicate keys, more than one document,
// nesting beyond 64, aliases that expand beyond a million nodes.
tl::expected<Document, Errors> parse_yaml(std::shared_ptr<const Source> source);

// The type of a plain scalar by the YAML 1.2 core schema.
Json type_plain_scalar(const std::string& text);

}  // namespace assay
