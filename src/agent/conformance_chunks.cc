// The part of the judge that speaks of chunks: one stream at a time in each lane.
#include <fmt/format.h>

#include "agent/conformance.h"
#include "agent/conformance_words.h"

namespace assay {
using namespace conformance;

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
  bool all = is_run(event.type) || event.type == EventType::kMessagesSnapshot;
  if (!all) {
    if (closes_lane(event.type)) close_lane(std::string(lane_of(event)));
    return;
  }
  while (!lanes_.empty())
    close_lane(lanes_.begin()->first);
}

// The stream a chunk goes on with: the one of its id in its lane; without an id its lane's, else the only one of its kind.
Conformance::ChunkStream* Conformance::chunk_stream(const AguiEvent& event, std::string_view id) {
  std::string lane(lane_of(event));
  auto own = lanes_.find(lane);
  bool own_fits = own != lanes_.end() && own->second.kind == event.type && (id.empty() || own->second.id == id);
  if (own_fits) return &own->second;
  if (!id.empty() || !lane.empty()) return nullptr;
  ChunkStream* only = nullptr;
  for (auto& [name, stream] : lanes_) {
    if (stream.kind != event.type) continue;
    if (only) return nullptr;
    only = &stream;
  }
  return only;
}

void Conformance::continue_chunk(ChunkStream& stream, const AguiEvent& event) {
  auto conflict = [&](FieldId field, const std::string& known, std::string_view name) {
    if (!event.has(field) || !event.at(field).is_string()) return;
    std::string_view now = event.text(field);
    if (now != known)
      note("chunk-conflict",
           fmt::format("{} of {} is {}, its first chunk said {}", name, shown(stream.id), shown(now), shown(known)));
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

void Conformance::begin_chunk(const AguiEvent& event, std::string_view id) {
  bool tool = event.type == EventType::kToolChunk;
  bool nameless = tool && event.text(FieldId::kToolCallName).empty();
  if (id.empty() || nameless) {
    std::string_view what = !tool ? "messageId" : id.empty() ? "toolCallId" : "toolCallName";
    return note("first-chunk-missing-id", fmt::format("the first {} of an item has no {}", event.type_name, what));
  }
  std::string lane(lane_of(event));
  close_lane(lane);
  ChunkStream stream{event.type, std::string(id), {}, {}, std::string(event.text(FieldId::kParentMessageId))};
  stream.role = event.text(FieldId::kRole).empty() ? "assistant" : std::string(event.text(FieldId::kRole));
  stream.name = event.text(tool ? FieldId::kToolCallName : FieldId::kName);
  if (event.type == EventType::kTextChunk) open(run_.text, id, "text-dup-start", event);
  if (event.type == EventType::kReasoningMessageChunk) open(run_.reasoning, id, "reasoning-dup-start", event);
  if (tool) start_call(id, stream.name, event);
  lanes_.insert_or_assign(lane, std::move(stream));
}

void Conformance::chunk(const AguiEvent& event) {
  std::string_view id = event.text(event.type == EventType::kToolChunk ? FieldId::kToolCallId : FieldId::kMessageId);
  if (ChunkStream* stream = chunk_stream(event, id))
    continue_chunk(*stream, event);
  else
    begin_chunk(event, id);
}

}  // namespace assay
