#include "report/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace assay {

Journal::Journal(std::string temp_dir, size_t memory_limit) : temp_dir_(std::move(temp_dir)), memory_limit_(memory_limit) {}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

Error Journal::io_error(std::string_view what, int code) const {
  return {ErrorKind::kIo, fmt::format("cannot {} the journal {}: {}", what, file_, std::strerror(code)), {}, {}};
}

Result<void> Journal::append(size_t index, std::string_view json) {
  if (fd_ < 0 && memory_.size() + json.size() > memory_limit_)
    if (auto spilled = spill(); !spilled) return spilled;
  if (fd_ < 0) {
    entries_.push_back({index, memory_.size(), json.size()});
    memory_ += json;
    return {};
  }
  size_t offset = written_;
  if (auto written = write(json); !written) return written;
  entries_.push_back({index, offset, json.size()});
  return {};
}

Result<void> Journal::spill() {
  if (broken_) return unexpected<Error>(*broken_);
  file_ = temp_dir_ + "/assay-journal-XXXXXX";
  fd_ = ::mkostemp(file_.data(), O_CLOEXEC);
  if (fd_ < 0) {
    broken_ = io_error("create", errno);
    return unexpected<Error>(*broken_);
  }
  ::unlink(file_.c_str());
  auto moved = write(memory_);
  if (!moved) {
    broken_ = moved.error();
    ::close(fd_);
    fd_ = -1;
    return moved;
  }
  std::string().swap(memory_);  // assignment would keep the capacity
  return {};
}

Result<void> Journal::write(std::string_view bytes) {
  size_t at = written_;
  while (!bytes.empty()) {
    ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return unexpected<Error>(io_error("write", errno));
    at += static_cast<size_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  written_ = at;
  return {};
}

Result<void> Journal::for_each(const std::function<void(std::string_view json)>& each) const {
  std::vector<Entry> ordered = entries_;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Entry& a, const Entry& b) { return a.index < b.index; });
  std::string buffer;
  for (const Entry& entry : ordered) {
    if (fd_ < 0) {
      each(std::string_view(memory_).substr(entry.offset, entry.length));
      continue;
    }
    buffer.resize(entry.length);
    for (size_t done = 0; done < entry.length;) {
      ssize_t n = ::pread(fd_, buffer.data() + done, entry.length - done, static_cast<off_t>(entry.offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return unexpected<Error>(io_error("read", n < 0 ? errno : EIO));
      done += static_cast<size_t>(n);
    }
    each(buffer);
  }
  return {};
}

}  // namespace assay
