#pragma once
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "net/http_server.h"

namespace assay {

// What a CopilotKit runtime remembers of a conversation.
struct ServedThread {
  std::string id;
  std::string events;                           // of all its runs, as they were sent
  std::unordered_set<std::string> message_ids;  // that clients have sent
  bool busy = false;                            // a run is going on
  bool stopped = false;                         // and was asked to stop
  bool kept = true;                             // false: the store has dropped it
};

// The threads of a server, in memory: so many threads and bytes, then the longest unused is dropped. For one thread of
// execution.
class ThreadStore {
 public:
  struct Limits {
    size_t threads = 10'000;
    size_t bytes = 64 << 20;
  };
  explicit ThreadStore(Limits limits) : limits_(limits) {}
  ThreadStore() : ThreadStore(Limits{}) {}

  std::shared_ptr<ServedThread> find(std::string_view id);  // null: unknown
  std::shared_ptr<ServedThread> open(std::string_view id);  // made where it is unknown
  void append(ServedThread& thread, std::string_view events);
  // False: the thread knows a message of this id.
  bool add_message(ServedThread& thread, std::string_view id);

 private:
  void grow(size_t bytes);
  void drop_oldest();

  Limits limits_;
  size_t bytes_ = 0;
  std::list<std::shared_ptr<ServedThread>> by_use_;  // the longest unused first
  std::unordered_map<std::string, std::list<std::shared_ptr<ServedThread>>::iterator> places_;
};

// The stream of a run, remembered in its thread, which is busy until the stream ends. The store outlives the stream.
std::unique_ptr<HttpStream> make_recorded_stream(ThreadStore& store, std::shared_ptr<ServedThread> thread,
                                                 std::unique_ptr<HttpStream> run);

// What the thread remembers, then the run that is going on.
std::unique_ptr<HttpStream> make_replay_stream(std::shared_ptr<const ServedThread> thread);

}  // namespace assay
