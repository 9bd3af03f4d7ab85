#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/node.h"
#include "base/reader.h"
#include "base/redact.h"
#include "model/case.h"
#include "model/launch.h"

namespace assay {

// The project's configuration: what is fixed when it is read. Agents and named checks stay nodes, because they may
// hold variables that only a case's hooks know.
struct Config {
  std::filesystem::path path;       // empty: there is none
  std::filesystem::path directory;  // of the config, else the working directory
  std::shared_ptr<const Document> document;
  Limits limits;
  std::optional<LaunchSpec> launch;                 // of the config or of its target
  double max_per_second = 0;                        // turns; 0: no limit
  std::vector<std::pair<std::string, Node>> flags;  // long flags of `run`, by name

  // Nodes of the document, null where absent.
  const Node* target = nullptr;
  const Node* agents = nullptr;
  const Node* vars = nullptr;
  const Node* assertions = nullptr;
  const Node* protocol = nullptr;
  const Node* tools = nullptr;
  const Node* unmocked = nullptr;
};

struct ConfigSource {
  const Env* env = nullptr;
  Redactor* secrets = nullptr;
  const Variables* variables = nullptr;  // of the command line
  std::optional<std::string> path;       // --config; none: searched upward from the working directory
  std::vector<std::string> flag_names;   // long flags that may be set in the file
};

// Reads the config, or an empty one where no file is found and none was asked for.
tl::expected<Config, Errors> load_config(const ConfigSource& source);

// The file's text under a name to show, or why it cannot be read.
Result<std::shared_ptr<const Source>> read_source(const std::filesystem::path& path, const std::filesystem::path& shown_from);

// `version: "1.0"`: 1.x is accepted.
void read_version(Reader& reader, const Node& node);

// A key the contract has and this version has not built yet: a mistake that says so.
void refuse_not_built(Reader& reader, const Node& node, std::string_view what);

}  // namespace assay
