#pragma once
#include "base/json.h"

namespace assay {

// Applies an RFC 6902 patch, all of it or nothing; false where it does not fit. An operation whose `op` is unknown is
// left out, as AG-UI 1.0 says.
bool apply_patch(Json& target, const Json& patch);

}  // namespace assay
