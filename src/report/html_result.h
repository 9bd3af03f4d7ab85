#pragma once
#include "base/json.h"
#include "report/html_writer.h"

namespace assay {

// One result, folded: its line (status, name, file, duration) and below it error, checks, turns and hooks.
void write_html_result(HtmlWriter& html, const Json& result);

}  // namespace assay
