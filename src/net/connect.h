#pragma once
#include <string>

#include "base/error.h"
#include "net/loop.h"

namespace assay {

// Does somebody accept TCP connections there? "localhost" is asked over IPv4 and IPv6. The error says why not.
Task<Result<void>> try_connect(Loop& loop, std::string host, int port, CancelToken token);

}  // namespace assay
