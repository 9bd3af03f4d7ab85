#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "load/suite.h"
#include "support/files.h"
#include "support/yaml.h"

namespace assay::testing {

// A project on disk and what loading makes of it.
class Project {
 public:
  Project() { env.cwd = dir.path(); }

  void file(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(dir / name).parent_path());
    write_file(dir / name, text);
  }
  void config(std::string_view text) const { file("assay.config.yaml", text); }
  void test(std::string_view text) const { file("a.test.yaml", text); }

  tl::expected<Config, Errors> read_config(std::optional<std::string> path = {}) {
    return load_config({&env, &secrets, &variables, std::move(path), {"parallel", "timeout", "fail-fast"}});
  }
  // Mistakes as "file:line:column message" lines, "" where all is well.
  std::string load(const std::vector<std::string>& files = {"a.test.yaml"}) {
    auto read = read_config();
    if (!read) return show(read.error());
    suite = std::make_unique<Suite>(std::move(*read), env, secrets);
    std::vector<std::filesystem::path> paths;
    for (const auto& name : files)
      paths.emplace_back(dir / name);
    return show(suite->load(paths, variables));
  }
  std::string show(const Errors& found) {
    errors = found;
    std::string out;
    for (const auto& e : found)
      out += e.place.file + ":" + std::to_string(e.place.line) + ":" + std::to_string(e.place.column) + " " + e.message + "\n";
    return out;
  }
  // The plan of the first case, with what hooks would have set.
  std::shared_ptr<const CasePlan> plan(const Variables& from_hooks = {}) {
    const Case& c = suite->cases().at(0);
    Variables known = c.variables;
    for (const auto& [name, value] : from_hooks)
      known[name] = value;
    auto out = suite->plan(c, known);
    shown = out ? "" : show(out.error());
    return out ? *out : nullptr;
  }
  std::string hint() const { return errors.empty() ? "" : errors[0].hint; }

  TempDir dir;
  Env env;
  Redactor secrets;
  Variables variables;  // --var
  std::unique_ptr<Suite> suite;
  Errors errors;
  std::string shown;  // mistakes of the last plan
};

inline constexpr std::string_view kTarget = "target: {endpoint: \"http://h/x\"}\n";

}  // namespace assay::testing
