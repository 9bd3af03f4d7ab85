#include "serve/wire.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace assay {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr size_t kMostRandomBytes = 40;

// A byte order mark in front, and no last line end.
class EdgeStream final : public HttpStream {
 public:
  EdgeStream(std::unique_ptr<HttpStream> inner, const Wire& wire) : inner_(std::move(inner)), wire_(wire) {}

  StreamStep next(std::string& out) override {
    if (wire_.bom && !std::exchange(begun_, true)) out += kBom;
    StreamStep step = inner_->next(out);
    bool cut = !wire_.last_blank && step.kind == StreamStep::kEnd && std::string_view(out).ends_with(wire_.newline);
    if (cut) out.resize(out.size() - wire_.newline.size());
    return step;
  }

 private:
  std::unique_ptr<HttpStream> inner_;
  Wire wire_;
  bool begun_ = false;
};

constexpr auto kCrcTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value & 1) ? 0xEDB88320u ^ (value >> 1) : value >> 1;
    table[i] = value;
  }
  return table;
}();

// RFC 1952 and 1951: each piece goes into stored blocks, so that it can be read as soon as it arrives.
class GzipStream final : public HttpStream {
 public:
  explicit GzipStream(std::unique_ptr<HttpStream> inner) : inner_(std::move(inner)) {}

  StreamStep next(std::string& out) override {
    constexpr std::string_view kHeader("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    if (!std::exchange(begun_, true)) out += kHeader;
    plain_.clear();
    StreamStep step = inner_->next(plain_);
    std::string_view rest = plain_;
    while (!rest.empty()) {
      std::string_view block = rest.substr(0, 0xFFFF);
      rest.remove_prefix(block.size());
      store(block, out);
    }
    if (step.kind == StreamStep::kEnd) {
      out += '\x01';
      number(0xFFFF0000u, out);
      number(~crc_, out);
      number(size_, out);
    }
    return step;
  }

 private:
  static void number(uint32_t value, std::string& out) {
    for (int shift = 0; shift < 32; shift += 8)
      out += static_cast<char>(value >> shift);
  }
  void store(std::string_view block, std::string& out) {
    auto length = static_cast<uint32_t>(block.size());
    out += '\0';
    number(length | (~length << 16), out);
    out += block;
    size_ += length;
    for (unsigned char byte : block)
      crc_ = kCrcTable[(crc_ ^ byte) & 0xFF] ^ (crc_ >> 8);
  }

  std::unique_ptr<HttpStream> inner_;
  std::string plain_;
  bool begun_ = false;
  uint32_t crc_ = 0xFFFFFFFFu;
  uint32_t size_ = 0;
};

// Writes of a given size, whatever they cut.
class SplitStream final : public HttpStream {
 public:
  SplitStream(std::unique_ptr<HttpStream> inner, const Wire& wire, uint64_t seed)
      : inner_(std::move(inner)), size_(wire.split_random ? 0 : wire.split), random_(seed) {}

  StreamStep next(std::string& out) override {
    if (at_ == piece_.size()) {
      piece_.clear();
      at_ = 0;
      step_ = inner_->next(piece_);
    }
    size_t size = size_ > 0 ? size_ : 1 + random_() % kMostRandomBytes;
    size_t taken = std::min(size, piece_.size() - at_);
    out.append(piece_, at_, taken);
    at_ += taken;
    return at_ < piece_.size() ? StreamStep{StreamStep::kMore, {}} : step_;
  }

 private:
  std::unique_ptr<HttpStream> inner_;
  size_t size_;
  std::mt19937_64 random_;
  std::string piece_;
  size_t at_ = 0;
  StreamStep step_;  // what follows the piece
};

}  // namespace

std::unique_ptr<HttpStream> make_wire_stream(std::unique_ptr<HttpStream> stream, const Wire& wire, uint64_t seed) {
  if (wire.bom || !wire.last_blank) stream = std::make_unique<EdgeStream>(std::move(stream), wire);
  if (wire.gzip) stream = std::make_unique<GzipStream>(std::move(stream));
  if (wire.split > 0 || wire.split_random) stream = std::make_unique<SplitStream>(std::move(stream), wire, seed);
  return stream;
}

}  // namespace assay
