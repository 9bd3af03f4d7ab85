#include "report/safe_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace assay {
namespace {

constexpr size_t kBufferBytes = 256u << 10;
constexpr mode_t kMode = 0666;  // the user's umask decides, as for any file they write
constexpr int kNameAttempts = 100;

// Where a chain of links ends, so that renaming replaces the file and not the link to it.
std::string follow_links(const std::string& path) {
  std::error_code ec;
  if (!std::filesystem::is_symlink(path, ec)) return path;
  auto end = std::filesystem::weakly_canonical(path, ec);
  return ec ? path : end.string();
}

}  // namespace

Error write_error(std::string_view path, int code) {
  return {ErrorKind::kIo, fmt::format("cannot write {}: {}", path, std::strerror(code)), {}, {}};
}

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

SafeFile::SafeFile(std::string path) : path_(std::move(path)), target_(follow_links(path_)) { open(); }

SafeFile::~SafeFile() { discard(); }

void SafeFile::open() {
  struct stat there {};
  bool exists = ::stat(target_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) return note(EISDIR);
  if (exists && !S_ISREG(there.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) note(errno);
    return;
  }
  for (int attempt = 0; fd_ < 0 && attempt < kNameAttempts; ++attempt) {
    temp_ = fmt::format("{}.{}-{}.tmp", target_, ::getpid(), attempt);
    fd_ = ::open(temp_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) note(errno), temp_.clear();
}

void SafeFile::note(int code) {
  if (error_ == 0) error_ = code;
}

void SafeFile::write(std::string_view text) {
  if (error_ != 0) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void SafeFile::flush() {
  if (error_ == 0) error_ = write_all(fd_, buffer_);
  buffer_.clear();
}

Result<void> SafeFile::commit() {
  flush();
  if (error_ == 0 && !temp_.empty() && ::fsync(fd_) != 0) note(errno);
  if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0) note(errno);
  if (error_ == 0 && !temp_.empty() && ::rename(temp_.c_str(), target_.c_str()) != 0) note(errno);
  if (error_ == 0) temp_.clear();
  if (error_ != 0) return unexpected<Error>(write_error(path_, error_));
  return {};
}

void SafeFile::discard() {
  if (fd_ >= 0) ::close(fd_);
  if (!temp_.empty()) ::unlink(temp_.c_str());
}

}  // namespace assay
