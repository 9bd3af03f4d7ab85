#pragma once
#include <span>
#include <string_view>

#include "agent/decode.h"

// What AG-UI 1.1 says of events and everything inside them, as tables. event_schema.cc judges by them.
namespace assay::schema {

enum class Kind {
  kAny,      // anything
  kValue,    // anything but null
  kText,     //
  kWord,     // text, one of `words`
  kPointer,  // text, an RFC 6901 pointer
  kWhole,    // a whole number that a double holds exactly
  kCount,    // the same, not below zero
  kBoolean,
  kMap,      // an object of whatever members
  kList,     // of `item`
  kObject,   // of `fields`
  kUnion,    // an object; its member `tag` says which of `members` it is
  kContent,  // text, or a list of `item`
};

enum class Need { kOptional, kRequired, kLegacyNull };  // the last: optional, and null is an old habit

struct FieldShape;
struct UnionMember;

struct Shape {
  Kind kind = Kind::kAny;
  std::span<const FieldShape> fields{};
  std::span<const UnionMember> members{};
  std::span<const std::string_view> words{};
  const Shape* item = nullptr;
  std::string_view tag{};
  bool open = false;    // unknown members are fine
  size_t at_least = 0;  // items of a list
};

struct FieldShape {
  std::string_view name;
  const Shape* shape;
  Need need = Need::kOptional;
};

struct UnionMember {
  std::string_view word;
  const Shape* shape;
};

struct EventShape {
  EventType type;
  std::span<const FieldShape> fields;
  bool attributed = true;  // may carry subagentRunId
};

const EventShape* event_row(EventType type);  // none for an unknown type
std::span<const FieldShape> base_fields();    // those that every event may carry
const FieldShape& attribution();              // subagentRunId

}  // namespace assay::schema
