#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "base/reader.h"
#include "check/check.h"

namespace assay {

// What the compile function of a key gets: the value, the map it stands in, and where its checks go.
// A null check says that the key is switched off.
struct KeyInput {
  Reader& reader;
  const Node& node;
  const Node& parent;
  std::vector<CheckPtr>& out;
};

// One key of an assert block. The rows validate, compile, and feed schema and documentation.
struct BlockKey {
  std::string_view name;  // dotted: "tools.forbid"
  Reach reach;
  std::string_view type;  // as in Field
  std::string_view help;
  void (*compile)(const KeyInput&);
};

std::span<const BlockKey> tool_keys();
std::span<const BlockKey> timing_keys();
std::span<const BlockKey> text_keys();
std::span<const BlockKey> state_keys();
std::span<const BlockKey> usage_keys();
std::span<const BlockKey> protocol_keys();
// The rules that a `protocol` switches off; "*": all of them.
std::vector<std::string> muted_rules(const Node& node);

// All of them, in the order of the manual.
const std::vector<BlockKey>& block_keys();

}  // namespace assay
