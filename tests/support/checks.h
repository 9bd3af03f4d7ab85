#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "check/block.h"
#include "check/check.h"
#include "support/node_from_json.h"

namespace assay::test {

inline Time at_ms(double ms) { return Time(std::chrono::seconds(1000)) + from_ms(ms); }

inline Json json(const std::string& text) { return *parse_json(text); }

// A call that starts at `ms`, ends 1 ms later and has its result 2 ms later.
inline ToolCall call(const std::string& name, const std::string& arguments = "{}", const std::string& result = "",
                     double ms = 0) {
  ToolCall out;
  out.id = name;
  out.name = name;
  out.arguments = json(arguments);
  if (!result.empty()) out.result = json(result);
  out.start = at_ms(ms);
  out.end = at_ms(ms + 1);
  if (!result.empty()) out.result_at = at_ms(ms + 2);
  return out;
}

// A turn from 0 to 1000 ms.
inline Turn turn_of(std::vector<ToolCall> calls, const std::string& text = "") {
  Turn turn;
  turn.tool_calls = std::move(calls);
  if (!text.empty()) turn.messages.push_back({"m1", text});
  turn.start = at_ms(0);
  turn.end = at_ms(1000);
  return turn;
}

inline Transcript transcript_of(std::vector<Turn> turns) {
  int number = 0;
  for (auto& turn : turns)
    turn.number = ++number;
  return {std::move(turns)};
}

// A compiled block and the document it was written in.
struct Block {
  explicit Block(const std::string& text, const NamedBlocks& named = {}) : document(node_from_json(text)) {
    Reader reader;
    block = read_assert_block(reader, document.root, named);
    errors = reader.take_errors();
  }
  std::string mistake() const { return errors.empty() ? "" : errors[0].message; }

  Document document;
  AssertBlock block;
  Errors errors;
};

inline std::vector<CheckResult> evaluate(const std::vector<CheckPtr>& checks, const Scope& scope) {
  std::vector<CheckResult> out;
  for (const auto& check : checks)
    out.push_back(check->evaluate(scope));
  return out;
}

// All results of a block over one turn.
inline std::vector<CheckResult> results_of(const std::string& block, const Turn& turn) {
  Block compiled(block);
  EXPECT_EQ(compiled.mistake(), "") << block;
  Transcript transcript = transcript_of({turn});
  return evaluate(turn_checks({}, {}, compiled.block), turn_scope(transcript, 0));
}

// The messages of the failing ones, joined as in the report.
inline std::string failures(const std::vector<CheckResult>& results) {
  std::string out;
  for (const auto& result : results)
    if (!result.passed) out += (out.empty() ? "" : "; ") + result.message;
  return out;
}
inline std::string failure(const std::string& block, const Turn& turn) { return failures(results_of(block, turn)); }
inline std::string test_failure(const std::string& block, std::vector<Turn> turns) {
  Block compiled(block);
  EXPECT_EQ(compiled.mistake(), "") << block;
  Transcript transcript = transcript_of(std::move(turns));
  return failures(evaluate(test_checks({}, compiled.block), test_scope(transcript)));
}

}  // namespace assay::test
