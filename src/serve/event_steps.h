#pragma once
#include <span>

#include "serve/plan.h"

namespace assay {

// One key of a step that is an event, and the member of the event it becomes.
struct EventMember {
  std::string_view key;
  std::string_view member;
  enum Shape { kText, kBool, kMap, kList, kAny } shape = kText;
  enum Need { kOptional, kRequired, kOrNull } need = kOptional;
};

// A step that is an event. `short_key`: a plain text stands for a map with this key only.
struct EventKind {
  std::string_view step;
  std::string_view type;
  std::span<const EventMember> members;
  std::string_view short_key = {};
};

extern const EventKind kCustomKind, kErrorKind, kActivityKind, kActivityDeltaKind, kSubagentKind, kSubagentEndKind,
    kSubagentErrorKind, kEncryptedKind;

// The event such a step sends; mistakes are noted.
Json read_event_kind(Reader& reader, const Node& node, const EventKind& kind);

// RUN_FINISHED's outcome of `interrupt`: one interrupt, or a list of them.
Json read_interrupts(Reader& reader, const Node& node);

}  // namespace assay
