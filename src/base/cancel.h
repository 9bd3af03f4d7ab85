#pragma once
#include <functional>
#include <map>
#include <memory>

namespace assay {

enum class CancelReason { kNone, kDeadline, kInterrupt, kFailFast };

// One stop sign handed down to everything a case waits for: transfers, child processes, timers.
// Copies share the state. For one loop's thread only.
class CancelToken {
  struct State;

 public:
  // Keeps a callback registered while it lives.
  class Registration {
   public:
    Registration() = default;
    Registration(Registration&& other) noexcept { swap(other); }
    Registration& operator=(Registration&& other) noexcept { return swap(other), *this; }
    ~Registration();

   private:
    friend class CancelToken;
    void swap(Registration& other) {
      std::swap(state_, other.state_);
      std::swap(id_, other.id_);
    }
    std::weak_ptr<State> state_;
    uint64_t id_ = 0;
  };

  CancelToken();
  CancelToken child() const;  // cancelled with this one, and can be cancelled alone

  bool cancelled() const { return reason() != CancelReason::kNone; }
  CancelReason reason() const;
  void cancel(CancelReason reason);  // the first reason stays

  // Called once, from cancel(). Not called where the token is cancelled already: ask first.
  [[nodiscard]] Registration on_cancel(std::function<void()> callback) const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace assay
