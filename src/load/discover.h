#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace assay {

// Where test files are looked for.
struct Search {
  std::filesystem::path cwd;                   // patterns are relative to it
  std::filesystem::path root;                  // the config's directory: the default patterns apply below it
  std::vector<std::filesystem::path> skipped;  // directories never entered (tapes)
};

// The files that the patterns (files, directories, globs with **) name, in path order, each once. Without patterns:
// **/*.test.yaml and **/*.test.yml below the root. Regular files only; node_modules and dot directories are not entered.
tl::expected<std::vector<std::filesystem::path>, Errors> discover(const std::vector<std::string>& patterns, const Search& search);

// Does a relative path ("a/b.yaml") match a glob? `*` and `?` stay within a component, `**` crosses them.
bool glob_match(std::string_view pattern, std::string_view path);

}  // namespace assay
