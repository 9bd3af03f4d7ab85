#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json.h"

namespace assay {

// Writes the events of one stream: JSON in the frame of server-sent events.
class EventWriter {
 public:
  explicit EventWriter(std::string_view newline) : end_(std::string(newline).append(newline)) {}

  // The subagent that all following events belong to; empty: the agent itself.
  void set_owner(std::string owner) { owner_ = std::move(owner); }

  struct Text {
    std::string_view key;
    std::string_view value;
  };
  // An event whose members are all text; one without a key is left out.
  void write(std::string& out, std::string_view type, std::initializer_list<Text> members) {
    open(out, type);
    for (const auto& [key, value] : members)
      if (!key.empty()) add(out, key, value);
    close(out);
  }
  // A whole event.
  void write_json(std::string& out, std::string_view type, std::string_view json) {
    start(out, type);
    out += json;
    seal(out);
  }

  void open(std::string& out, std::string_view type) {
    start(out, type);
    out.append("{\"type\":\"").append(type).append("\"");
    if (!owner_.empty()) add(out, "subagentRunId", owner_);
  }
  static void add(std::string& out, std::string_view key, std::string_view value) {
    out.append(",\"").append(key).append("\":");
    append_json_string(value, out);
  }
  static void add_json(std::string& out, std::string_view key, std::string_view json) {
    out.append(",\"").append(key).append("\":").append(json);
  }
  void close(std::string& out) {
    out += "}";
    seal(out);
  }

 private:
  void start(std::string& out, std::string_view) const { out += "data: "; }
  void seal(std::string& out) const { out += end_; }

  std::string end_;
  std::string owner_;
};

}  // namespace assay
