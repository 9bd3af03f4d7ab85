#include "run/random_id.h"

#include <fmt/format.h>

namespace assay {

std::string random_id(std::mt19937_64& random) {
  uint64_t a = random();
  uint64_t b = random();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", a >> 32, a >> 16 & 0xffff, a & 0xfff, (b >> 48 & 0x3fff) | 0x8000,
                     b & 0xffffffffffff);
}

}  // namespace assay
