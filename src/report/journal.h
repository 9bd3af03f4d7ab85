#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace assay {

// Every finished case, serialised once as one JSON object, readable again in load order. Kept in memory up to 64 MiB,
// then in an unlinked temporary file: memory does not grow with the size of transcripts.
class Journal {
 public:
  static constexpr size_t kMemoryLimit = 64u << 20;
  explicit Journal(std::string temp_dir, size_t memory_limit = kMemoryLimit);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // A result that could not be kept is an error naming the file; what was kept before stays readable.
  Result<void> append(size_t index, std::string_view json);
  // Calls `each` with the JSON text of every result, by ascending index.
  Result<void> for_each(const std::function<void(std::string_view json)>& each) const;
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    size_t index;
    size_t offset;
    size_t length;
  };
  Result<void> spill();
  Result<void> write(std::string_view bytes);
  Error io_error(std::string_view what, int code) const;

  std::string temp_dir_;
  size_t memory_limit_;
  std::vector<Entry> entries_;
  std::string memory_;
  std::string file_;             // the name the temporary file had, for messages
  int fd_ = -1;                  // of the temporary file; -1: all is in memory
  size_t written_ = 0;           // bytes of whole entries in the file
  std::optional<Error> broken_;  // why there could be no temporary file: not tried again
};

}  // namespace assay
