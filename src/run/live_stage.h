#pragma once
#include "agent/stage.h"
#include "run/case_run.h"

namespace assay {

// The real world: HTTP, processes, random ids. `log`: where their stderr goes with --debug.
std::unique_ptr<Stage> make_live_stage(CaseServices& services, const Case& c, std::string* log);

}  // namespace assay
