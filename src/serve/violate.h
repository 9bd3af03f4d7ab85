#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/template.h"
#include "serve/wire.h"

namespace assay {

// One rule of AG-UI's catalogue and the change that makes an answer break it, and as far as possible no other.
struct Breach {
  enum How {
    kFront,   // `events` come before everything else
    kBegin,   // … behind RUN_STARTED
    kEnd,     // … before RUN_FINISHED or RUN_ERROR
    kBehind,  // … after it
    kRepeat,  // the first event of `type` comes twice; where there is none, `events` at the end
    kDrop,    // events of `type` are left out; without a type, all
    kAlter,   // the members of `events` are set in RUN_FINISHED
    kWire,    // the bytes are changed, or what the head says of them
  };
  std::string_view rule;
  How how;
  std::string_view events;  // one JSON to a line; a template
  std::string_view type = {};
  void (*wire)(Wire&) = nullptr;
};

std::span<const Breach> breaches();  // one for every rule

// Applies breaches to the events of one answer as they come by. The breaches outlive it.
class Breaker {
 public:
  Breaker(std::vector<const Breach*> breaches, const TemplateValues& values);

  // The events that take the place of this one, in order.
  std::vector<std::string> rewrite(std::string_view type, std::string event);

 private:
  void insert(Breach::How how, std::vector<std::string>& out);
  void insert(const Breach& breach, std::vector<std::string>& out);
  std::string altered(std::string_view type, std::string event) const;
  bool drops(std::string_view type) const;
  bool awaits(const Breach& breach) const;  // an event to repeat that has not come yet
  void repeat(std::string_view type, std::vector<std::string>& out);
  void before_end(std::vector<std::string>& out);

  std::vector<const Breach*> breaches_;
  TemplateValues values_;
  bool begun_ = false;
  bool ended_ = false;
  std::vector<const Breach*> repeated_;
};

}  // namespace assay
