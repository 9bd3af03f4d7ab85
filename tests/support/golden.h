#pragma once
#include <string>
#include <string_view>

namespace assay::testing {

// Compares with tests/golden/NAME, a failure of the running test where they differ. With ASSAY_UPDATE_GOLDENS=1 in the
// environment the file is rewritten instead: look at the difference before committing it.
void expect_golden(std::string_view name, const std::string& actual);

}  // namespace assay::testing
