// The part of the judge that speaks of chunks: one stream at a time in each lane, the parent agent's or a subagent's.
#include <fmt/format.h>

#include "agent/conformance.h"

namespace assay {
using namespace conformance;
namespace {

std::string lane_key(std::optional<std::string_view> tag) { return tag ? fmt::format("/{}", *tag) : std::string(); }

std::optional<std::string> given(const AguiEvent& event, FieldId field) {
  return event.is_text(field) ? std::optional<std::string>(event.text(field)) : std::nullopt;
}

}  // namespace

void Conformance::close_lane(const std::string& lane) {
  auto found = lanes_.find(lane);
  if (found == lanes_.end()) return;
  const ChunkStream& stream = found->second;
  if (stream.kind == EventType::kTextChunk) run_.text.erase(stream.id);
  if (stream.kind == EventType::kReasoningMessageChunk) run_.reasoning.erase(stream.id);
  if (stream.kind == EventType::kToolChunk) calls_[stream.id].open = false;
  lanes_.erase(found);
}

void Conformance::close_chunks(const AguiEvent& event) {
  if (lanes_.empty()) return;
  if (is_run(event.type) || event.type == EventType::kMessagesSnapshot) {
    while (!lanes_.empty())
      close_lane(std::string(lanes_.begin()->first));
  } else if (closes_lane(event.type)) {
    close_lane(lane_key(tag_of(event)));
  }
}

// The lane a chunk belongs to: that of the stream with its id; else the one it names; without either the parent's, or
// the only one that has a stream of its kind.
std::string Conformance::chunk_lane(const AguiEvent& event, std::optional<std::string_view> id) {
  auto tag = tag_of(event);
  if (id) {
    for (const auto& [lane, stream] : lanes_) {
      if (stream.kind != event.type || stream.id != *id) continue;
      check_owner(stream.owner, event);
      return lane;
    }
    return lane_key(tag);
  }
  if (tag) return lane_key(tag);
  if (auto own = lanes_.find(std::string_view()); own != lanes_.end() && own->second.kind == event.type) return {};
  std::vector<std::string> candidates;
  for (const auto& [lane, stream] : lanes_)
    if (stream.kind == event.type) candidates.push_back(lane);
  return candidates.size() == 1 ? candidates[0] : std::string();
}

void Conformance::continue_chunk(const ChunkStream& stream, const AguiEvent& event) {
  auto conflict = [&](FieldId field, const std::optional<std::string>& known, std::string_view name) {
    if (!event.is_text(field) || event.text(field) == known) return;
    note("chunk-conflict", fmt::format("{} of {} is {}, its first chunk said {}", name, shown(stream.id),
                                       shown(event.text(field)), known ? shown(*known) : "nothing of it"));
  };
  if (stream.kind == EventType::kTextChunk) {
    conflict(FieldId::kRole, stream.role, "role");
    conflict(FieldId::kName, stream.name, "name");
  }
  if (stream.kind == EventType::kToolChunk) {
    conflict(FieldId::kToolCallName, stream.name, "toolCallName");
    conflict(FieldId::kParentMessageId, stream.parent, "parentMessageId");
  }
}

void Conformance::begin_chunk(const AguiEvent& event, const std::string& lane, std::optional<std::string_view> id) {
  close_lane(lane);
  bool tool = event.type == EventType::kToolChunk;
  if (!id || (tool && !event.is_text(FieldId::kToolCallName))) {
    std::string_view what = !tool ? "messageId" : !id ? "toolCallId" : "toolCallName";
    return note("first-chunk-missing-id", fmt::format("the first {} of an item has no {}", event.type_name, what));
  }
  ChunkStream stream;
  stream.kind = event.type;
  stream.id = *id;
  stream.owner = tag_of(event);
  stream.role = given(event, FieldId::kRole).value_or("assistant");
  stream.name = given(event, tool ? FieldId::kToolCallName : FieldId::kName);
  stream.parent = given(event, FieldId::kParentMessageId);
  if (event.type == EventType::kTextChunk) open(text(), *id, "text-dup-start", event);
  if (event.type == EventType::kReasoningMessageChunk) open(reasoning(), *id, "reasoning-dup-start", event);
  if (tool) start_call(*id, *stream.name, event);
  lanes_.insert_or_assign(lane, std::move(stream));
}

void Conformance::chunk(const AguiEvent& event) {
  FieldId field = id_field(event.type);
  auto id = event.is_text(field) ? std::optional(event.text(field)) : std::nullopt;
  if (event.has(field) && !id) return;  // noted: it is no text
  std::string lane = chunk_lane(event, id);
  auto stream = lanes_.find(lane);
  bool goes_on = stream != lanes_.end() && stream->second.kind == event.type && (!id || stream->second.id == *id);
  if (goes_on)
    continue_chunk(stream->second, event);
  else
    begin_chunk(event, lane, id);
}

}  // namespace assay
