#include "check/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <mutex>
#include <unordered_map>

#include "base/text.h"
#include "check/pattern_syntax.h"
#include "check/pcre.h"

namespace assay {

struct Pattern::Impl {
  std::string text;
  bool anchored = false;
  std::unique_ptr<const re2::RE2> re2;  // one of the two
  std::unique_ptr<const Pcre> pcre;
};

namespace {

constexpr size_t kCacheEntries = 4096;
constexpr int64_t kRe2Memory = 64 << 20;

std::unique_ptr<const re2::RE2> compile_re2(const PatternSyntax& syntax) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRe2Memory);
  options.set_case_sensitive(!syntax.ignore_case);
  options.set_dot_nl(syntax.dot_all);
  return std::make_unique<re2::RE2>(syntax.multiline ? "(?m)" + syntax.body : syntax.body, options);
}

// RE2 names the piece it stumbled over; that is the better place, unless it only stumbled over what PCRE2 can express.
PatternSpan error_span(const re2::RE2& re2, const PcreError& pcre, const std::string& body) {
  auto code = re2.error_code();
  bool beyond_re2 =
      code == re2::RE2::ErrorBadPerlOp || code == re2::RE2::ErrorBadEscape || code == re2::RE2::ErrorBadNamedCapture;
  size_t at = re2.error_arg().empty() ? std::string::npos : body.find(re2.error_arg());
  if (!beyond_re2 && at != std::string::npos) return {at, re2.error_arg().size()};
  return {std::min(pcre.offset, body.empty() ? 0 : body.size() - 1), 1};
}

unexpected<Error> bad_pattern(std::string_view text, const PatternSpan& span, std::string message) {
  Error error{ErrorKind::kInput, fmt::format("bad pattern {}: {}", quote(shorten(text, 200)), message), {}, {}};
  error.place.column = static_cast<int>(span.offset) + 1;
  error.place.length = static_cast<int>(std::max<size_t>(span.length, 1));
  return unexpected<Error>(std::move(error));
}

// Compiled patterns by their text: JSONL cases are compiled again when they start.
template <class Value>
class Cache {
 public:
  std::optional<Value> find(const std::string& text) {
    std::lock_guard lock(mutex_);
    auto it = entries_.find(text);
    if (it == entries_.end()) return std::nullopt;
    return it->second;
  }
  void insert(const std::string& text, const Value& value) {
    std::lock_guard lock(mutex_);
    if (entries_.size() >= kCacheEntries) entries_.clear();
    entries_.emplace(text, value);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Value> entries_;
};

Cache<Pattern>& cache() {
  static Cache<Pattern> patterns;
  return patterns;
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view text) {
  std::string key(text);
  if (auto known = cache().find(key)) return *known;
  auto syntax = parse_pattern(text);
  if (!syntax) return bad_pattern(text, syntax.error().span, syntax.error().message);

  auto impl = std::make_shared<Impl>();
  impl->text = key;
  impl->anchored = syntax->anchored;
  impl->re2 = compile_re2(*syntax);
  if (!impl->re2->ok()) {
    auto pcre = Pcre::compile(*syntax);
    if (!pcre)
      return bad_pattern(text, syntax->written(error_span(*impl->re2, pcre.error(), syntax->body)), pcre.error().message);
    impl->re2.reset();
    impl->pcre = std::make_unique<Pcre>(std::move(*pcre));
  }
  Pattern pattern;
  pattern.impl_ = std::move(impl);
  cache().insert(key, pattern);
  return pattern;
}

Pattern::Match Pattern::search(std::string_view subject) const {
  std::string repaired;
  if (!is_valid_utf8(subject)) subject = repaired = valid_utf8(subject);
  if (impl_->pcre) return impl_->pcre->search(subject);
  auto anchor = impl_->anchored ? re2::RE2::ANCHOR_START : re2::RE2::UNANCHORED;
  bool found = impl_->re2->Match(subject, 0, subject.size(), anchor, nullptr, 0);
  return found ? Match::kYes : Match::kNo;
}

const std::string& Pattern::text() const { return impl_->text; }

}  // namespace assay
