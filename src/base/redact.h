#pragma once
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace assay {

// Replaces secrets by "***" wherever text leaves the program. Values shorter than 8 characters are not secrets.
// Thread-safe: secrets are added while files are read and cases start, applied on the reporting thread.
class Redactor {
 public:
  void add(std::string_view secret);
  bool empty() const;
  std::string apply(std::string_view text) const;
  void apply_to_strings(Json& value) const;  // string values at any depth; never keys or numbers

 private:
  void redact_cut(std::string& text) const;

  mutable std::mutex mutex_;
  std::set<std::string, std::less<>> known_;
  std::vector<std::string> forms_;  // plain, base64 at each alignment, URL-encoded; longest first
};

// Is a header of this name one whose value is a secret? (authorization, cookie, *token*, *key*, *secret*)
bool is_secret_header(std::string_view name);

}  // namespace assay
