// Bytes of an answer, from the socket to the result's JSON: whatever comes, nothing breaks, and how it is cut into
// pieces makes no difference.
#include <cstdint>
#include <cstdlib>
#include <random>

#include "agent/collector.h"
#include "agent/recorder.h"
#include "net/sse.h"
#include "report/reporters.h"

namespace assay {
namespace {

constexpr size_t kMaxEvent = 1 << 16;

void require(bool holds) {
  if (!holds) std::abort();
}

// An answer read piece by piece into a turn.
class Reading final : public SseSink {
 public:
  Reading() : collector_(result.transcript, decoder_), recorder_(collector_, decoder_, nullptr) {
    collector_.begin_turn("hi", "u1", at_);
    recorder_.begin_run(result.transcript.turns.back(), ConformanceRequest{});
  }

  bool on_data(std::string_view data) override {
    require(!data.empty() && data.size() <= kMaxEvent);
    ++events_;
    if (recorder_.on_event(data, at_ += std::chrono::milliseconds(1))) return true;
    require(!recorder_.refusal().empty());
    return false;
  }
  // The pieces are copied, so that a view kept too long is seen.
  bool feed(std::string_view piece) { return status_ == SseParser::Status::kOk && take(parser_.feed(std::string(piece), *this)); }
  void finish() {
    if (status_ == SseParser::Status::kOk) take(parser_.finish(*this));
    auto verdict = collector_.end_run();
    collector_.end_turn(verdict.outcome, verdict.error, at_);
    const Turn& turn = result.transcript.turns[0];
    require(static_cast<size_t>(turn.events) <= events_ && events_ <= static_cast<size_t>(turn.events) + 1);
    require((turn.outcome == Outcome::kEmpty) == (turn.events == 0));
    require(turn.end >= turn.start);
  }
  // Everything that can be seen of it.
  std::string seen() const {
    std::string out = to_compact(result_json(result, Redactor()));
    out += to_compact(collector_.history().to_json(History::Extent::kFull));
    out += to_compact(collector_.history().to_json(History::Extent::kLast));
    out += static_cast<char>('0' + static_cast<int>(status_));
    out += parser_.saw_carriage_return() ? 'r' : ' ';
    out += parser_.last_was_unterminated() ? 'u' : ' ';
    return out + recorder_.refusal();
  }

  CaseResult result;

 private:
  bool take(SseParser::Status status) { return (status_ = status) == SseParser::Status::kOk; }

  Time at_ = Time(std::chrono::seconds(1000));
  EventDecoder decoder_{JsonLimits{.depth = 30, .object_members = 20}};
  Collector collector_;
  Recorder recorder_;
  SseParser parser_{kMaxEvent};
  SseParser::Status status_ = SseParser::Status::kOk;
  size_t events_ = 0;
};

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::minstd_rand random(size > 1 ? data[0] * 256u + data[1] : 0u);  // the first two bytes say how it is cut
  bytes.remove_prefix(std::min<size_t>(2, size));

  assay::Reading whole;
  whole.feed(bytes);
  whole.finish();
  assay::Reading cut;
  for (std::string_view rest = bytes; !rest.empty();) {
    size_t n = std::min<size_t>(rest.size(), 1 + random() % 40);
    if (!cut.feed(rest.substr(0, n))) break;
    rest.remove_prefix(n);
  }
  cut.finish();
  assay::require(whole.seen() == cut.seen());
  return 0;
}
