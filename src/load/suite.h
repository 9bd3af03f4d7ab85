#pragma once
#include <string>
#include <vector>

#include "load/config.h"
#include "load/variables.h"
#include "model/case.h"

namespace assay {

// All cases of a run, and what is needed to finish those whose variables are known only when they start.
// Immutable once loaded: any loop may ask it.
class Suite {
 public:
  Suite(Config config, const Env& env, Redactor& secrets) : config_(std::move(config)), env_(env), secrets_(secrets) {}

  // Reads the files; every mistake of every file is returned.
  Errors load(const std::vector<std::filesystem::path>& files, const Variables& command_line);

  const Config& config() const { return config_; }
  std::vector<Case>& cases() { return cases_; }
  const std::vector<Case>& cases() const { return cases_; }

  // With all variables known. The mistakes end the case.
  enum class HookList { kHooks, kTeardown };
  size_t hook_count(const Case& c, HookList list) const;
  tl::expected<Hook, Errors> hook(const Case& c, HookList list, size_t index, const Variables& variables) const;
  tl::expected<std::shared_ptr<const CasePlan>, Errors> plan(const Case& c, const Variables& variables) const;

 private:
  Errors check_config(const Variables& command_line) const;
  Errors load_file(const std::filesystem::path& path, const Variables& command_line);
  bool add_all_vars(const Node& root, const Variables& fixed, Variables& known, Reader& reader, Bindings::Unknown unknown) const;

  Config config_;
  const Env& env_;
  Redactor& secrets_;
  std::vector<Case> cases_;
};

}  // namespace assay
