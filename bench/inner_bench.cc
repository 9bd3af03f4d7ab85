// Times of single parts between the socket and the transcript.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "agent/collector.h"
#include "net/sse.h"

namespace assay {
namespace {

struct Count final : SseSink {
  bool on_data(std::string_view data) override {
    bytes += data.size();
    ++events;
    return true;
  }
  size_t bytes = 0;
  size_t events = 0;
};

constexpr std::string_view kMessageId = "3a4105d1-c414-4f36-8b16-b7ad23dcc5b1";
constexpr std::string_view kCallId = "call_uY-BexhLejrJxdBi-0123456789";

std::vector<std::string> text_events(size_t count) {
  std::vector<std::string> out = {
      R"({"type":"RUN_STARTED","threadId":"t1","runId":"r1"})",
      fmt::format(R"({{"type":"TEXT_MESSAGE_START","messageId":"{}","role":"assistant"}})", kMessageId)};
  while (out.size() < count)
    out.push_back(
        fmt::format(R"({{"type":"TEXT_MESSAGE_CONTENT","messageId":"{}","delta":"word {} "}})", kMessageId, out.size()));
  out.push_back(R"({"type":"RUN_FINISHED","threadId":"t1","runId":"r1"})");
  return out;
}

std::vector<std::string> argument_events(size_t count) {
  std::vector<std::string> out = {
      fmt::format(R"({{"type":"TOOL_CALL_START","toolCallId":"{}","toolCallName":"get"}})", kCallId),
      fmt::format(R"({{"type":"TOOL_CALL_ARGS","toolCallId":"{}","delta":"{{\"text\":\""}})", kCallId)};
  while (out.size() < count)
    out.push_back(fmt::format(R"({{"type":"TOOL_CALL_ARGS","toolCallId":"{}","delta":"word {} "}})", kCallId, out.size()));
  out.push_back(fmt::format(R"({{"type":"TOOL_CALL_ARGS","toolCallId":"{}","delta":"\"}}"}})", kCallId));
  return out;
}

std::string stream_of(const std::vector<std::string>& events) {
  std::string out;
  for (const auto& event : events)
    out += "data: " + event + "\n\n";
  return out;
}

void events_per_second(benchmark::State& state, size_t events) {
  state.counters["events"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsIterationInvariantRate);
}

// In pieces as large as a socket gives them, or as small as one event.
void parse_sse(benchmark::State& state) {
  auto piece = static_cast<size_t>(state.range(0));
  std::string stream = stream_of(text_events(1000));
  Count sink;
  for (auto _ : state) {
    SseParser parser(1 << 20);
    for (size_t at = 0; at < stream.size(); at += piece)
      benchmark::DoNotOptimize(parser.feed(std::string_view(stream).substr(at, piece), sink));
  }
  events_per_second(state, 1000);
  state.SetBytesProcessed(static_cast<int64_t>(stream.size()) * state.iterations());
}
BENCHMARK(parse_sse)->Arg(16384)->Arg(100);

void decode_and_collect(benchmark::State& state, std::vector<std::string> (*make)(size_t)) {
  std::vector<std::string> events = make(1000);
  EventDecoder decoder({});
  for (auto _ : state) {
    Transcript transcript;
    Collector collector(transcript, decoder);
    collector.begin_turn("hi", "u1", Time());
    AguiEvent event;
    for (const auto& json : events) {
      decoder.decode(json, event);
      collector.add(event, Time());
    }
    benchmark::DoNotOptimize(collector.end_run());
  }
  events_per_second(state, events.size());
}
BENCHMARK_CAPTURE(decode_and_collect, text, text_events);
BENCHMARK_CAPTURE(decode_and_collect, arguments, argument_events);

void decode_only(benchmark::State& state) {
  std::vector<std::string> events = text_events(1000);
  EventDecoder decoder({});
  for (auto _ : state) {
    AguiEvent event;
    for (const auto& json : events)
      benchmark::DoNotOptimize(decoder.decode(json, event));
  }
  events_per_second(state, events.size());
}
BENCHMARK(decode_only);

}  // namespace
}  // namespace assay
