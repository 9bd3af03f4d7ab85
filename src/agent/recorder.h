#pragma once
#include <string>

#include "agent/agent.h"
#include "agent/collector.h"

namespace assay {

// The sink of a case: decodes each event once and hands it to the collector; keeps the wire log.
class Recorder final : public EventSink {
 public:
  Recorder(Collector& collector, EventDecoder& decoder, std::string* log) : collector_(collector), decoder_(decoder), log_(log) {}

  void begin_turn(Turn& turn) { turn_ = &turn; }
  void on_request(Time at) override { collector_.restart_turn(at); }
  bool on_event(std::string_view json, Time at) override;
  std::string refusal() const override { return refusal_; }
  bool wants_log() const override { return log_ != nullptr; }
  void on_log(std::string_view line) override;

 private:
  void violation(std::string_view rule, Severity severity, Time at, std::string message);

  Collector& collector_;
  EventDecoder& decoder_;
  std::string* log_;
  Turn* turn_ = nullptr;
  std::string refusal_;
};

}  // namespace assay
