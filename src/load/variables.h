#pragma once
#include "base/env.h"
#include "base/reader.h"
#include "base/redact.h"
#include "model/case.h"

namespace assay {

// What references may stand for. `${NAME}` is a variable, `${ENV.NAME}` the environment, `${NAME:-text}` has a default,
// `$${` is a literal `${`.
struct Bindings {
  const Env* env = nullptr;
  const Variables* variables = nullptr;
  Redactor* secrets = nullptr;  // values from the environment are secrets
  enum class Unknown { kDefer, kMistake } unknown = Unknown::kDefer;
};

// A copy of the tree with every reference in its string values replaced. A value that is exactly one reference keeps
// the variable's JSON type. Unknown variables become deferred nodes, or mistakes; an unset ENV is always a mistake.
Node resolve_variables(const Node& node, const Bindings& bindings, Reader& reader);

// Adds the members of a `vars` map to `known`, which the bindings look into: each sees those before it. Names in `fixed`
// keep their values. One that waits for a variable is left out. True: none waits.
bool add_vars(const Node& vars, const Variables& fixed, const Bindings& bindings, Variables& known, Reader& reader);

// Does the tree name any variable but ENV's?
bool names_variables(const Node& node);

}  // namespace assay
