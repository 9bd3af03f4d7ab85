#pragma once
#include <string>
#include <vector>

#include "check/block_key.h"
#include "check/call_filter.h"

namespace assay {

// The compile functions of the `tools` keys that have a file of their own.
void compile_require(const KeyInput& in);
void compile_order(const KeyInput& in);
void compile_order_mode(const KeyInput& in);

// The calls of one tool, sorted by a filter.
struct Selection {
  std::vector<const ToolCall*> selected;
  size_t named = 0;                  // calls of that name
  std::optional<size_t> first;       // index of the first selected one among all calls of the scope
  std::vector<std::string> nearest;  // why the calls that came nearest were not selected
  std::string limit;                 // a pattern gave up
};
Selection select_calls(const std::vector<const ToolCall*>& calls, const std::string& name, const CallFilter& filter);

}  // namespace assay
