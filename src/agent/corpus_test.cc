// The official AG-UI 1.1 conformance corpus, where it is found: AGUI_CORPUS=DIR, else beside this checkout.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "agent/collector.h"
#include "agent/conformance.h"

namespace assay {
namespace {
namespace fs = std::filesystem;

fs::path corpus() {
  const char* given = std::getenv("AGUI_CORPUS");
  return given ? fs::path(given) : fs::path(ASSAY_SOURCE_DIR) / "../shared/data/agui-conformance";
}

std::vector<fs::path> streams() {
  std::vector<fs::path> out;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(corpus(), ec))
    if (entry.path().extension() == ".json") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

Json read(const fs::path& path) {
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  auto value = parse_json(text);
  EXPECT_TRUE(value) << path;
  return value ? *value : Json();
}

// Objects by the keys that are named, arrays whole.
bool is_subset(const Json& expected, const Json& actual) {
  if (expected.is_object()) {
    if (!actual.is_object()) return false;
    for (const auto& [key, value] : expected.items())
      if (!actual.contains(key) || !is_subset(value, actual[key])) return false;
    return true;
  }
  if (!expected.is_array()) return json_equal(expected, actual);
  return actual.is_array() && std::equal(expected.begin(), expected.end(), actual.begin(), actual.end(), is_subset);
}

struct Replay {
  Transcript transcript;
  EventDecoder decoder{JsonLimits{}};
  Collector collector{transcript, decoder};

  explicit Replay(const Json& stream) {
    collector.begin_turn(nullptr, "", Time());
    Conformance conformance(transcript.turns[0].violations, {}, 0);
    for (const auto& item : stream) {
      AguiEvent event;
      std::string text = to_compact(item);
      auto status = decoder.decode(text, event);
      if (status == EventDecoder::Status::kOk) {
        conformance.add(event, Time());
        collector.add(event, Time());
      } else {
        conformance.unreadable(status, decoder.error(), Time());
      }
    }
    collector.end_run();
    ConformanceEnding ending;
    ending.content_type = "text/event-stream";
    conformance.end(ending);
  }

  std::string errors() const {
    std::string out;
    for (const auto& violation : transcript.turns[0].violations)
      if (violation.severity == Severity::kError) out += violation.rule + ": " + violation.message + "\n";
    return out;
  }
};

TEST(Corpus, FatalStreamsAreViolationsAndAcceptedOnesAreNot) {
  auto files = streams();
  if (files.empty()) GTEST_SKIP() << "the AG-UI corpus is not here: set AGUI_CORPUS to its folder";
  for (const auto& file : files) {
    Json sample = read(file);
    Replay replay(sample["stream"]);
    bool fatal = sample["expect"]["outcome"] == "failed";
    EXPECT_EQ(!replay.errors().empty(), fatal) << file.filename() << "\n" << replay.errors();
    if (fatal) continue;
    std::vector<Json> held = replay.collector.history().messages();
    if (sample["expect"].contains("messages")) {
      EXPECT_TRUE(is_subset(sample["expect"]["messages"], Json(held))) << file.filename() << "\n" << Json(held).dump();
    }
    if (sample["expect"].contains("messageCount")) {
      EXPECT_EQ(held.size(), sample["expect"]["messageCount"]) << file.filename();
    }
    if (sample["expect"].contains("state")) {
      EXPECT_TRUE(replay.collector.state() && is_subset(sample["expect"]["state"], *replay.collector.state())) << file.filename();
    }
  }
  std::printf("corpus: %zu streams of AG-UI 1.1\n", files.size());
}

}  // namespace
}  // namespace assay
