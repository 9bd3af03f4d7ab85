#pragma once
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Cuts a stream of bytes into lines. A line that is too long becomes several.
class LineSplitter {
 public:
  using Take = std::function<void(std::string_view line)>;
  void feed(std::string_view bytes, const Take& take);
  void finish(const Take& take);  // a last line without its end counts

  static constexpr size_t kLongest = 64u << 10;

 private:
  std::string partial_;
};

// The last lines of what was printed, in a fixed amount of memory.
class LastLines {
 public:
  void add(std::string_view line);
  std::vector<std::string> lines() const;  // oldest first; blank lines are not kept

  static constexpr size_t kKept = 20;

 private:
  std::array<std::string, kKept> ring_;
  size_t count_ = 0;
};

}  // namespace assay
