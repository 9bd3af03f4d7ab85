#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/text_map.h"

namespace assay {

// The conversation as the reference client would hold it: what is sent with the next turn.
class History {
 public:
  void add_user(std::string id, Json content);
  void open_text(std::string_view id, std::string_view role, std::string_view name);
  void append_text(std::string_view id, std::string_view delta);
  // The assistant message that owns the call is `parent`, else a message keyed by the call.
  void open_call(std::string_view call_id, std::string_view name, std::string_view parent);
  void append_arguments(std::string_view call_id, std::string_view delta);
  // Right behind the owning message and the results already there.
  void add_result(std::string_view message_id, std::string_view call_id, Json content);
  // Same id: replaced in place; unknown ids: appended; messages it lacks: dropped, reasoning kept unless it has some.
  void apply_snapshot(const Json& messages);

  bool may_be_assistant(std::string_view id) const;  // unknown, or an assistant message
  const std::vector<Json>& messages() const { return messages_; }
  // As sent: all of them, or (`history: last`) only what follows the last assistant message.
  enum class Extent { kFull, kLast };
  Json to_json(Extent extent) const;

 private:
  struct CallPlace {
    std::string owner;
    size_t index;
  };
  Json& message(std::string_view id, std::string_view role);
  Json* find(std::string_view id);
  Json* find_function(std::string_view call_id);
  void index();

  std::vector<Json> messages_;
  TextMap<size_t> places_;
  TextMap<CallPlace> calls_;
};

}  // namespace assay
