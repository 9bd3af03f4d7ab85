#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace assay {

// Maps and sets of strings that are asked with views: a lookup makes no string.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

}  // namespace assay
