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
  // The answer of a client-side tool: at the end, or before the next message of a conversation that went on.
  void add_answer(Json message);
  // Same id: replaced in place; unknown ids: appended; messages it lacks: dropped, activity and reasoning kept unless
  // it has some.
  void apply_snapshot(const Json& messages);
  void append_unknown(const Json& messages);  // those whose ids are new

  void attribute(std::string_view message_id, std::string_view subagent);
  void merge_metadata(std::string_view message_id, const Json& metadata);
  void merge_call_metadata(std::string_view call_id, const Json& metadata);
  struct Encrypted {
    std::string_view entity;
    std::string_view value;
    std::string_view type;
    bool of_call = false;
  };
  void encrypt(const Encrypted& secret);
  struct Activity {
    std::string_view id;
    std::string_view type;
    bool replace = true;
  };
  void set_activity(const Activity& activity, Json content);
  // False: it is there, and the patch does not fit.
  bool patch_activity(std::string_view id, const Json& patch);

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
  Json* find_call(std::string_view call_id);
  Json* find_function(std::string_view call_id);
  void insert(size_t at, Json message);
  void index();

  std::vector<Json> messages_;
  TextMap<size_t> places_;
  TextMap<CallPlace> calls_;
};

}  // namespace assay
