#include "run/launch_output.h"

#include "base/text.h"

namespace assay {

void LineSplitter::feed(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    size_t end = bytes.find('\n');
    std::string_view piece = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (partial_.empty() && end != std::string_view::npos && piece.size() <= kLongest) {
      take(piece);
      continue;
    }
    while (partial_.size() + piece.size() > kLongest) {
      size_t room = kLongest - partial_.size();
      partial_ += piece.substr(0, room);
      piece.remove_prefix(room);
      take(partial_);
      partial_.clear();
    }
    partial_ += piece;
    if (end != std::string_view::npos) take(partial_), partial_.clear();
  }
}

void LineSplitter::finish(const Take& take) {
  if (!partial_.empty()) take(partial_);
  partial_.clear();
}

void LastLines::add(std::string_view line) {
  if (trim(line).empty()) return;
  if (line.ends_with('\r')) line.remove_suffix(1);
  ring_[count_++ % kKept].assign(line);
}

std::vector<std::string> LastLines::lines() const {
  std::vector<std::string> out;
  for (size_t i = count_ > kKept ? count_ - kKept : 0; i < count_; ++i)
    out.push_back(ring_[i % kKept]);
  return out;
}

}  // namespace assay
