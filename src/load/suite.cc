#include "load/suite.h"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "load/plan.h"
#include "load/variables.h"
#include "load/yaml.h"

namespace assay {
namespace fs = std::filesystem;
namespace {

std::string without_suffix(std::string path) {
  for (std::string_view suffix : {".test.yaml", ".test.yml", ".yaml", ".yml"})
    if (path.size() > suffix.size() && path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  return path;
}

std::string relative_to(const fs::path& path, const fs::path& directory) {
  fs::path relative = path.lexically_relative(directory);
  bool below = !relative.empty() && *relative.begin() != "..";
  return (below ? relative : path).generic_string();
}

std::string_view list_key(Suite::HookList list) { return list == Suite::HookList::kHooks ? "hooks" : "teardown"; }

}  // namespace

Errors Suite::load(const std::vector<fs::path>& files, const Variables& command_line) {
  Errors errors;
  std::set<std::tuple<std::string, int, int, std::string>> seen;  // a mistake in the config is met again by every test
  auto add = [&](Errors more) {
    for (auto& e : more)
      if (seen.emplace(e.place.file, e.place.line, e.place.column, e.message).second) errors.push_back(std::move(e));
  };
  add(check_config(command_line));
  for (const auto& path : files)
    add(load_file(path, command_line));
  return errors;
}

// `vars` of config and test; see add_vars.
bool Suite::add_all_vars(const Node& root, const Variables& fixed, Variables& known, Reader& reader,
                         Bindings::Unknown unknown) const {
  Bindings bindings{&env_, &known, &secrets_, unknown};
  const Node* own = root.find("vars");
  bool complete = !config_.vars || add_vars(*config_.vars, fixed, bindings, known, reader);
  return (!own || add_vars(*own, fixed, bindings, known, reader)) && complete;
}

Errors Suite::check_config(const Variables& command_line) const {
  Reader reader;
  Variables known = command_line;
  add_all_vars(Node(), command_line, known, reader, Bindings::Unknown::kDefer);
  PlanReader(config_, {&env_, &known, &secrets_, Bindings::Unknown::kDefer}, reader).check_config();
  return reader.take_errors();
}

Errors Suite::load_file(const fs::path& path, const Variables& command_line) {
  auto source = read_source(path, env_.cwd);
  if (!source) return {source.error()};
  if (path.extension() == ".jsonl" || path.extension() == ".json")
    return {{ErrorKind::kInput, "JSONL cases are not supported yet by assay " ASSAY_VERSION, {(*source)->name, 0, 0, 0, {}}, {}}};
  auto parsed = parse_yaml(*source);
  if (!parsed) return parsed.error();
  auto document = std::make_shared<Document>(std::move(*parsed));

  Case c;
  c.index = cases_.size();
  c.file = relative_to(path, config_.directory);
  c.id = without_suffix(c.file);
  c.line = document->root.line > 0 ? document->root.line : 1;
  c.directory = (config_.path.empty() ? path.parent_path() : config_.directory).string();
  c.limits = config_.limits;
  c.variables = command_line;

  Reader reader;
  bool vars_wait = !add_all_vars(document->root, command_line, c.variables, reader, Bindings::Unknown::kDefer);
  PlanReader plan(config_, {&env_, &c.variables, &secrets_, Bindings::Unknown::kDefer}, reader);
  plan.read_head(document->root, c);
  if (document->root.is_map()) c.plan = std::make_shared<CasePlan>(plan.read_plan(document->root));
  if (!reader.ok()) return reader.take_errors();
  // A hook may set any variable anew, so a test that has hooks and names variables is read again behind them.
  bool hooks_decide = !c.plan->hooks.empty() &&
                      (names_variables(document->root) || (config_.document && names_variables(config_.document->root)));
  c.deferred = plan.deferred() || hooks_decide || vars_wait;
  if (c.deferred) c.document = document;
  cases_.push_back(std::move(c));
  return {};
}

size_t Suite::hook_count(const Case& c, HookList list) const {
  return list == HookList::kHooks ? c.plan->hooks.size() : c.plan->teardown.size();
}

tl::expected<Hook, Errors> Suite::hook(const Case& c, HookList list, size_t index, const Variables& variables) const {
  if (!c.deferred) return list == HookList::kHooks ? c.plan->hooks[index] : c.plan->teardown[index];
  Reader reader;
  Variables known = variables;
  add_all_vars(c.document->root, variables, known, reader, Bindings::Unknown::kDefer);
  PlanReader plan(config_, {&env_, &known, &secrets_, Bindings::Unknown::kMistake}, reader);
  Hook hook = plan.read_hook(c.document->root.find(list_key(list))->items[index]);
  if (!reader.ok()) return tl::unexpected(reader.take_errors());
  return hook;
}

tl::expected<std::shared_ptr<const CasePlan>, Errors> Suite::plan(const Case& c, const Variables& variables) const {
  if (!c.deferred) return c.plan;
  Reader reader;
  Case head;
  Variables known = variables;
  add_all_vars(c.document->root, variables, known, reader, Bindings::Unknown::kMistake);
  PlanReader plan(config_, {&env_, &known, &secrets_, Bindings::Unknown::kMistake}, reader);
  plan.read_head(c.document->root, head);
  auto out = std::make_shared<CasePlan>(plan.read_plan(c.document->root));
  if (!reader.ok()) return tl::unexpected(reader.take_errors());
  return out;
}

}  // namespace assay
