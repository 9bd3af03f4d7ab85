#pragma once
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace assay {

// Where something was written. Line and column count from 1, column and length in bytes of `text`, the source line.
// A place without a line points at a whole file; without a file, at nothing.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 0;
  std::string text;
};

enum class ErrorKind { kUsage, kInput, kAgent, kHook, kTimeout, kCancelled, kIo, kInternal };

// A mistake or a mishap: one sentence that says what is wrong, where, and (in `hint`) what to do.
struct Error {
  ErrorKind kind = ErrorKind::kInput;
  std::string message;
  Place place;
  std::string hint;
};
using Errors = std::vector<Error>;

template <class T>
using Result = tl::expected<T, Error>;
using tl::unexpected;

inline unexpected<Error> fail(ErrorKind kind, std::string message, std::string hint = {}) {
  return unexpected<Error>(Error{kind, std::move(message), {}, std::move(hint)});
}

// "file:3:7: error: message", the source line with a caret below, the hint. Control characters are made visible.
std::string render_error(const Error& error);

// The source line of a place and a caret line below it, each behind `indent`; empty for a place without text.
std::string render_source(const Place& place, std::string_view indent);

}  // namespace assay
