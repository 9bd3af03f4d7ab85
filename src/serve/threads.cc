#include "serve/threads.h"

#include <algorithm>

namespace assay {
namespace {

// How soon a stop is noticed, and how often a replay looks for more.
constexpr Duration kGlance = std::chrono::milliseconds(20);
constexpr size_t kThreadCost = 256;  // of bookkeeping
constexpr size_t kPortion = 32 << 10;

class RecordedStream final : public HttpStream {
 public:
  RecordedStream(ThreadStore& store, std::shared_ptr<ServedThread> thread, std::unique_ptr<HttpStream> run)
      : store_(store), thread_(std::move(thread)), run_(std::move(run)) {
    thread_->busy = true;
    thread_->stopped = false;
  }
  ~RecordedStream() override {
    if (!over_) thread_->busy = false;
  }

  StreamStep next(std::string& out) override {
    if (rest_ > Duration::zero() && !thread_->stopped) return glance();
    rest_ = {};
    size_t before = out.size();
    StreamStep step = run_->next(out);
    store_.append(*thread_, std::string_view(out).substr(before));
    if (step.kind == StreamStep::kMore) {
      rest_ = step.wait;
      return rest_ > Duration::zero() ? glance() : step;
    }
    over_ = step.kind != StreamStep::kStall;
    thread_->busy = !over_;
    return step;
  }

 private:
  StreamStep glance() {
    Duration wait = std::min(rest_, kGlance);
    rest_ -= wait;
    return {StreamStep::kMore, wait};
  }

  ThreadStore& store_;
  std::shared_ptr<ServedThread> thread_;
  std::unique_ptr<HttpStream> run_;
  Duration rest_{};  // of the pause that the run asked for
  bool over_ = false;
};

class ReplayStream final : public HttpStream {
 public:
  explicit ReplayStream(std::shared_ptr<const ServedThread> thread) : thread_(std::move(thread)) {}

  StreamStep next(std::string& out) override {
    if (sent_ < thread_->events.size()) {
      size_t before = out.size();
      out.append(thread_->events, sent_, kPortion);
      sent_ += out.size() - before;
      return {StreamStep::kMore, {}};
    }
    bool more = thread_->busy && thread_->kept;
    return {more ? StreamStep::kMore : StreamStep::kEnd, more ? kGlance : Duration{}};
  }

 private:
  std::shared_ptr<const ServedThread> thread_;
  size_t sent_ = 0;
};

}  // namespace

std::shared_ptr<ServedThread> ThreadStore::find(std::string_view id) {
  auto place = places_.find(std::string(id));
  if (place == places_.end()) return nullptr;
  by_use_.splice(by_use_.end(), by_use_, place->second);
  return *place->second;
}

std::shared_ptr<ServedThread> ThreadStore::open(std::string_view id) {
  if (auto known = find(id)) return known;
  auto thread = std::make_shared<ServedThread>();
  thread->id = id;
  places_[thread->id] = by_use_.insert(by_use_.end(), thread);
  grow(kThreadCost + id.size());
  return thread;
}

void ThreadStore::append(ServedThread& thread, std::string_view events) {
  if (!thread.kept) return;
  thread.events += events;
  grow(events.size());
}

bool ThreadStore::add_message(ServedThread& thread, std::string_view id) {
  if (!thread.message_ids.emplace(id).second) return false;
  if (thread.kept) grow(id.size());
  return true;
}

void ThreadStore::grow(size_t bytes) {
  bytes_ += bytes;
  while (!by_use_.empty() && (bytes_ > limits_.bytes || by_use_.size() > limits_.threads))
    drop_oldest();
}

void ThreadStore::drop_oldest() {
  auto thread = by_use_.front();
  by_use_.pop_front();
  places_.erase(thread->id);
  bytes_ -= kThreadCost + thread->id.size() + thread->events.size();
  for (const auto& id : thread->message_ids)
    bytes_ -= id.size();
  thread->kept = false;
  thread->events = {};
}

std::unique_ptr<HttpStream> make_recorded_stream(ThreadStore& store, std::shared_ptr<ServedThread> thread,
                                                 std::unique_ptr<HttpStream> run) {
  return std::make_unique<RecordedStream>(store, std::move(thread), std::move(run));
}

std::unique_ptr<HttpStream> make_replay_stream(std::shared_ptr<const ServedThread> thread) {
  return std::make_unique<ReplayStream>(std::move(thread));
}

}  // namespace assay
