#include "base/env.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  assay::Env env = assay::system_env(argc, argv);
  return assay::run_program(env);
}
