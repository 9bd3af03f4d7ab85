#include "base/env.h"

int main(int argc, char** argv) {
  assay::Env env = assay::system_env(argc, argv);
  env.out->write("assay " ASSAY_VERSION "\n");
  return 0;
}
