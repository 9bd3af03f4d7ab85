#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/json.h"

namespace assay {

// A compiled JSON Schema (draft 7). Immutable; usable on any thread. The only user of valijson.
class Schema {
 public:
  static Result<Schema> compile(const Json& schema);
  // Nothing where the value satisfies it, else the first breach: "items.0.id: …".
  std::optional<std::string> violation(const Json& value) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace assay
