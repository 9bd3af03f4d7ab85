#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "base/reader.h"
#include "check/pattern.h"

namespace assay {

// A pattern and the node it was written in.
struct WrittenPattern {
  Pattern pattern;
  Place place;
};

// Nothing where a mistake was noted (it points into the text where that can be told) or the node is deferred.
std::optional<Pattern> read_pattern(Reader& reader, const Node& node, std::string_view what);
std::vector<WrittenPattern> read_patterns(Reader& reader, const Node& node, std::string_view what);  // one or a list

}  // namespace assay
