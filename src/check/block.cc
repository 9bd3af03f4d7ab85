#include "check/block.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "check/block_key.h"

namespace assay {
namespace {

bool is_false(const Node& node) { return node.kind == Node::Kind::kBool && node.scalar == Json(false); }

// Reads one block, and the named ones it extends, into `block`.
class BlockReader {
 public:
  BlockReader(Reader& reader, const NamedBlocks& named, AssertBlock& block) : reader_(reader), named_(named), block_(block) {}

  void read(const Node& node) {
    if (const Node* names = node.is_map() ? node.find("extends") : nullptr) extend(*names);
    read_group(node, "");
  }

 private:
  void extend(const Node& names) {
    if (!names.is_list()) return extend_by(names);
    for (const auto& name : names.items)
      extend_by(name);
  }
  void extend_by(const Node& node);
  void read_group(const Node& node, const std::string& prefix);
  void read_member(const Node::Member& member, const Node& parent, const std::string& prefix);
  void compile(const BlockKey& key, const Node& node, const Node& parent);
  void switch_off(std::string_view prefix);

  Reader& reader_;
  const NamedBlocks& named_;
  AssertBlock& block_;
  std::set<std::string> open_;  // the names being extended, against circles
};

// Mistakes inside a named block are noted once, however often it is used.
void take_over(Reader& reader, Errors errors) {
  for (auto& error : errors) {
    auto same = [&](const Error& known) {
      return known.message == error.message && known.place.file == error.place.file && known.place.line == error.place.line &&
             known.place.column == error.place.column;
    };
    if (std::none_of(reader.errors().begin(), reader.errors().end(), same)) reader.add(std::move(error));
  }
}

void BlockReader::extend_by(const Node& node) {
  auto name = reader_.text(node, "`extends`");
  if (!name) return;
  const Node* block = named_ ? named_(*name) : nullptr;
  if (!block) return reader_.error(node, fmt::format("there is no block {} in the config's `assertions`", quote(*name)));
  if (!open_.insert(*name).second) return reader_.error(node, fmt::format("{} extends itself", quote(*name)));
  Reader inner;
  BlockReader reader(inner, named_, block_);
  reader.open_ = open_;
  reader.read(*block);
  take_over(reader_, inner.take_errors());
  open_.erase(*name);
}

// The keys known directly below a prefix ("" or "tools."), groups included.
std::vector<std::string> names_below(std::string_view prefix) {
  std::vector<std::string> names;
  if (prefix.empty()) names.emplace_back("extends");
  for (const auto& key : block_keys()) {
    if (!key.name.starts_with(prefix)) continue;
    std::string_view rest = key.name.substr(prefix.size());
    std::string name(rest.substr(0, rest.find('.')));
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

const BlockKey* find_key(std::string_view name) {
  for (const auto& key : block_keys())
    if (key.name == name) return &key;
  return nullptr;
}

bool is_group(const std::string& name) {
  auto below = [&](const BlockKey& key) { return key.name.starts_with(name + "."); };
  return std::any_of(block_keys().begin(), block_keys().end(), below);
}

std::string group_name(const std::string& prefix) {
  return prefix.empty() ? "assert" : fmt::format("`{}`", prefix.substr(0, prefix.size() - 1));
}

void BlockReader::read_group(const Node& node, const std::string& prefix) {
  if (is_false(node)) return switch_off(prefix);
  if (node.is_null() || !reader_.map(node, group_name(prefix))) return;
  for (const auto& member : node.members)
    read_member(member, node, prefix);
}

void BlockReader::read_member(const Node::Member& member, const Node& parent, const std::string& prefix) {
  const std::string& key = member.key.text;
  std::string name = prefix + key;
  bool nested = key.find('.') == std::string::npos;
  const BlockKey* row = nested ? find_key(name) : nullptr;
  if (row) return compile(*row, member.value, parent);
  if (nested && is_group(name)) return read_group(member.value, name + ".");
  if (name == "extends") return;
  if (name == "checks")
    return reader_.error(member.key, "lists of checks come with JSONL cases in a later version", "use the keys of the block");
  auto known = names_below(prefix);
  reader_.unknown_key(member.key, known, group_name(prefix));
}

void BlockReader::compile(const BlockKey& key, const Node& node, const Node& parent) {
  std::vector<CheckPtr> checks;
  if (is_false(node))
    checks.push_back(nullptr);
  else
    key.compile({reader_, node, parent, checks});
  for (auto& check : checks)
    block_.entries.push_back({std::string(key.name), key.reach, std::move(check)});
}

void BlockReader::switch_off(std::string_view prefix) {
  for (const auto& key : block_keys())
    if (key.name.starts_with(prefix)) block_.entries.push_back({std::string(key.name), key.reach, nullptr});
}

// Entries in force, from the outermost level inwards.
class Merge {
 public:
  void add(const AssertBlock::Entry& entry) {
    bool replaces = !entry.check || entry.reach == Reach::kScalar;
    if (replaces) std::erase_if(entries_, [&](const auto* known) { return known->key == entry.key; });
    if (entry.check) entries_.push_back(&entry);
  }
  void add_all(const AssertBlock& block) {
    for (const auto& entry : block.entries)
      add(entry);
  }
  void add_inherited(const AssertBlock& block) {
    for (const auto& entry : block.entries)
      if (entry.reach != Reach::kRequirement) add(entry);
  }
  void drop(std::string_view key) {
    std::erase_if(entries_, [&](const auto* known) { return known->key == key; });
  }
  std::vector<CheckPtr> checks() const {
    std::vector<CheckPtr> out;
    for (const auto* entry : entries_)
      out.push_back(entry->check);
    return out;
  }

 private:
  std::vector<const AssertBlock::Entry*> entries_;
};

}  // namespace

const std::vector<BlockKey>& block_keys() {
  static const std::vector<BlockKey> all = [] {
    std::vector<BlockKey> keys;
    for (auto family : {tool_keys(), timing_keys(), text_keys(), state_keys(), usage_keys(), protocol_keys()})
      keys.insert(keys.end(), family.begin(), family.end());
    return keys;
  }();
  return all;
}

AssertBlock read_assert_block(Reader& reader, const Node& node, const NamedBlocks& named) {
  AssertBlock block;
  if (const Node* protocol = node.is_map() ? node.find("protocol") : nullptr) block.muted = muted_rules(*protocol);
  BlockReader(reader, named, block).read(node);
  return block;
}

void read_protocol(Reader& reader, const Node& node, AssertBlock& block) {
  Node key;
  key.kind = Node::Kind::kString;
  key.text = "protocol";
  Node map;
  map.kind = Node::Kind::kMap;
  map.members.push_back({key, node});
  BlockReader(reader, nullptr, block).read(map);
}

std::vector<CheckPtr> turn_checks(const AssertBlock& target, const AssertBlock& test, const AssertBlock& turn) {
  Merge merge;
  merge.add_inherited(target);
  merge.add_inherited(test);
  merge.add_all(turn);
  return merge.checks();
}

std::vector<CheckPtr> test_checks(const AssertBlock& target, const AssertBlock& test) {
  Merge merge;
  merge.add_all(target);
  merge.add_all(test);
  merge.drop("protocol");  // judged turn by turn, where a turn may have eased it
  return merge.checks();
}

bool is_muted(const AssertBlock& target, const AssertBlock& test, const AssertBlock& turn, std::string_view rule) {
  for (const AssertBlock* block : {&turn, &test, &target})
    if (block->muted)
      return std::find_if(block->muted->begin(), block->muted->end(),
                          [&](const std::string& name) { return name == "*" || name == rule; }) != block->muted->end();
  return false;
}

}  // namespace assay
