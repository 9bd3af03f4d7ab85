#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "serve/violate.h"
#include "serve/wire.h"

namespace assay {

// Writes the events of one stream: JSON in the frame of server-sent events, past the breaker where rules are to be
// broken.
class EventWriter {
 public:
  explicit EventWriter(const Wire& wire, std::optional<Breaker> breaker = std::nullopt)
      : begin_(wire.comments ? ": keep-alive" + twice(wire.newline) + "data: " : "data: "),
        end_(twice(wire.newline)),
        breaker_(std::move(breaker)) {}

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
  static std::string twice(std::string_view text) { return std::string(text).append(text); }
  void start(std::string& out, std::string_view type) {
    type_ = type;
    at_ = out.size();
    out += begin_;
  }
  void seal(std::string& out) {
    if (!breaker_) {
      out += end_;
      return;
    }
    std::string event = out.substr(at_ + begin_.size());
    out.resize(at_);
    for (const auto& json : breaker_->rewrite(type_, std::move(event)))
      out.append(begin_).append(json).append(end_);
  }

  std::string begin_;
  std::string end_;
  std::optional<Breaker> breaker_;
  std::string owner_;
  std::string_view type_;  // of the event being written
  size_t at_ = 0;          // where it begins
};

}  // namespace assay
