#pragma once
#include <optional>
#include <string>

#include "agent/agent.h"
#include "agent/collector.h"
#include "agent/conformance.h"

namespace assay {

// The sink of a case: decodes each event once and hands it to the collector and to the conformance judge; keeps the
// wire log.
class Recorder final : public EventSink {
 public:
  Recorder(Collector& collector, EventDecoder& decoder, std::string* log) : collector_(collector), decoder_(decoder), log_(log) {}

  // Before each request of a turn, and behind its answer.
  void begin_run(Turn& turn, ConformanceRequest request);
  void end_run(const RunEnd& end);
  void on_request(Time at) override { collector_.restart_turn(at); }
  bool on_event(std::string_view json, Time at) override;
  std::string refusal() const override { return refusal_; }
  bool wants_log() const override { return log_ != nullptr; }
  void on_log(std::string_view line) override;

 private:
  Collector& collector_;
  EventDecoder& decoder_;
  std::string* log_;
  std::optional<Conformance> conformance_;
  std::string refusal_;
  TextSet told_;  // calls whose arguments are no JSON
};

}  // namespace assay
