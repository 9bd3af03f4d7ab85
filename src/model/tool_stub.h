#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/time.h"

namespace assay {

// What a client-side tool says when it is called.
struct ToolReply {
  Json value;                        // sent as text where it is text, else as JSON
  std::optional<std::string> error;  // the tool failed: the tool message carries it
};

// A client-side tool that the tester plays: what the agent is told of it, and what it answers.
struct ToolStub {
  std::string name;
  std::string description;
  Json parameters;  // JSON Schema, null: none

  enum class Kind { kUnanswered, kReplies, kMatch, kCommand };
  Kind kind = Kind::kUnanswered;
  std::vector<ToolReply> replies;  // first call, second call, …; the last repeats
  struct Rule {
    std::function<bool(const Json& arguments)> matches;
    ToolReply reply;
  };
  std::vector<Rule> rules;       // the first that matches, else the last of `replies`
  std::vector<std::string> cmd;  // arguments on stdin, the answer on stdout
  Duration timeout = std::chrono::seconds(30);
  Duration delay{};
  Place place;
};

// A call that nobody answered, of a tool that is no stub.
enum class Unmocked { kIgnore, kFail, kAnswer };

}  // namespace assay
