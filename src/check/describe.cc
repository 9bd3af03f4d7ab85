#include "check/describe.h"

#include <fmt/format.h>

#include "base/text.h"

namespace assay {
namespace {
constexpr size_t kShown = 120;
constexpr size_t kNames = 20;
}  // namespace

std::string show(const Json& value) { return visible(shorten(to_compact(value), kShown)); }

std::string show_text(std::string_view text) { return quote(shorten(text, kShown)); }

std::string show_names(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < names.size() && i < kNames; ++i)
    shown.push_back(show_text(names[i]));
  if (names.size() > kNames) shown.push_back(fmt::format("and {} more", names.size() - kNames));
  return join(shown, ", ");
}

std::string show_ms(Duration duration) { return number_text(to_ms(duration)) + " ms"; }

std::string called_times(size_t n) {
  if (n == 0) return "never called";
  return n == 1 ? "called once" : fmt::format("called {} times", n);
}

}  // namespace assay
