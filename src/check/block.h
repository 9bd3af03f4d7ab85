#pragma once
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/reader.h"
#include "model/assert_block.h"

namespace assay {

// The config's `assertions`: finds a named block for `extends`, null where there is none.
using NamedBlocks = std::function<const Node*(std::string_view name)>;

// Compiles an `assert` block; every mistake goes to the reader. Scalars that are deferred are left out.
AssertBlock read_assert_block(Reader& reader, const Node& node, const NamedBlocks& named);

// `protocol` written outside a block (target, test file): the same as inside, added to the block.
void read_protocol(Reader& reader, const Node& node, AssertBlock& block);

// The checks that hold in one turn, and in the whole test, from the blocks of the levels above it (target first).
std::vector<CheckPtr> turn_checks(const AssertBlock& target, const AssertBlock& test, const AssertBlock& turn);
std::vector<CheckPtr> test_checks(const AssertBlock& target, const AssertBlock& test);
// Is a rule of the protocol switched off for a turn? Its violations are not even listed.
bool is_muted(const AssertBlock& target, const AssertBlock& test, const AssertBlock& turn, std::string_view rule);

}  // namespace assay
