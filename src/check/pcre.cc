#define PCRE2_CODE_UNIT_WIDTH 8
#include "check/pcre.h"

#include <pcre2.h>

namespace assay {
namespace {

constexpr uint32_t kMatchLimit = 1'000'000;
constexpr uint32_t kDepthLimit = 100'000;
constexpr uint32_t kHeapLimitKib = 64 << 10;

struct Free {
  void operator()(pcre2_compile_context* p) const { pcre2_compile_context_free(p); }
  void operator()(pcre2_match_context* p) const { pcre2_match_context_free(p); }
  void operator()(pcre2_match_data* p) const { pcre2_match_data_free(p); }
};

// As in JavaScript: $ is the very end, [] and [^] are classes, a group that took no part matches the empty text.
uint32_t compile_options(const PatternSyntax& syntax) {
  uint32_t options =
      PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;
  if (syntax.ignore_case) options |= PCRE2_CASELESS;
  if (syntax.multiline) options |= PCRE2_MULTILINE;
  if (syntax.dot_all) options |= PCRE2_DOTALL;
  if (syntax.anchored) options |= PCRE2_ANCHORED;
  return options;
}

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

std::string error_text(int code) {
  PCRE2_UCHAR buffer[256];
  int length = pcre2_get_error_message(code, buffer, sizeof buffer);
  return length < 0 ? "not a regular expression" : std::string(reinterpret_cast<char*>(buffer));
}

}  // namespace

struct Pcre::Code {
  explicit Code(pcre2_code* compiled) : code(compiled) {}
  ~Code() { pcre2_code_free(code); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  pcre2_code* code;
};

tl::expected<Pcre, PcreError> Pcre::compile(const PatternSyntax& syntax) {
  std::unique_ptr<pcre2_compile_context, Free> context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int code = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* compiled =
      pcre2_compile(units(syntax.body), syntax.body.size(), compile_options(syntax), &code, &offset, context.get());
  if (!compiled) return tl::unexpected(PcreError{error_text(code), offset});
  Pcre out;
  out.code_ = std::make_shared<Code>(compiled);
  return out;
}

Pattern::Match Pcre::search(std::string_view subject) const {
  std::unique_ptr<pcre2_match_context, Free> context(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(context.get(), kMatchLimit);
  pcre2_set_depth_limit(context.get(), kDepthLimit);
  pcre2_set_heap_limit(context.get(), kHeapLimitKib);
  std::unique_ptr<pcre2_match_data, Free> data(pcre2_match_data_create_from_pattern(code_->code, nullptr));
  int found = pcre2_match(code_->code, units(subject), subject.size(), 0, 0, data.get(), context.get());
  if (found >= 0) return Pattern::Match::kYes;
  return found == PCRE2_ERROR_NOMATCH ? Pattern::Match::kNo : Pattern::Match::kLimit;
}

}  // namespace assay
