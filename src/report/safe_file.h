#pragma once
#include <string>
#include <string_view>

#include "base/error.h"

namespace assay {

// A file that appears under its name only when it is complete: written beside the name, synced and renamed by `commit`,
// removed again if there is none. A symbolic link keeps pointing where it did; what is no regular file (a pipe, a device)
// is written in place. Writes are buffered; the first that fails is what `commit` answers.
class SafeFile {
 public:
  explicit SafeFile(std::string path);
  ~SafeFile();
  SafeFile(const SafeFile&) = delete;
  SafeFile& operator=(const SafeFile&) = delete;

  void write(std::string_view text);
  Result<void> commit();

 private:
  void open();
  void flush();
  void note(int code);
  void discard();

  std::string path_;    // as the user wrote it, for messages
  std::string target_;  // links followed
  std::string temp_;    // empty: written in place
  int fd_ = -1;
  int error_ = 0;  // errno of the first failure
  std::string buffer_;
};

// "cannot write FILE: reason".
Error write_error(std::string_view path, int code);

// All of `text`, however many calls it takes; errno, or 0.
int write_all(int fd, std::string_view text);

}  // namespace assay
