#include "serve/search.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"

namespace assay {
namespace {

// "/p/i" → "(?i)p". What does not end in a slash and flags is a pattern as it stands.
std::string with_flags(std::string_view text) {
  size_t last = text.rfind('/');
  if (text.empty() || text[0] != '/' || last == 0) return std::string(text);
  std::string_view flags = text.substr(last + 1);
  if (flags.find_first_not_of("ims") != std::string_view::npos) return std::string(text);
  std::string_view body = text.substr(1, last - 1);
  return flags.empty() ? std::string(body) : fmt::format("(?{}){}", flags, body);
}

}  // namespace

Result<Search> Search::compile(std::string_view text) {
  RE2::Options options;
  options.set_log_errors(false);
  auto expression = std::make_shared<const RE2>(with_flags(text), options);
  if (!expression->ok()) return fail(ErrorKind::kInput, fmt::format("{} is no pattern: {}", quote(text), expression->error()));
  Search out;
  out.expression_ = std::move(expression);
  return out;
}

bool Search::found_in(std::string_view subject) const {
  return RE2::PartialMatch(re2::StringPiece(subject.data(), subject.size()), *expression_);
}

}  // namespace assay
