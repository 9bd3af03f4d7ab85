#include "load/discover.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/text.h"

namespace assay {
namespace fs = std::filesystem;
namespace {

const std::vector<std::string> kDefaultPatterns = {"**/*.test.yaml", "**/*.test.yml"};

bool is_glob(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

// One character class `[a-z]` or `[!a]`; `pattern` stands behind the '['. Advances behind the ']'.
bool class_match(std::string_view& pattern, char c) {
  bool negated = !pattern.empty() && (pattern[0] == '!' || pattern[0] == '^');
  if (negated) pattern.remove_prefix(1);
  bool hit = false;
  for (bool first = true; !pattern.empty() && (first || pattern[0] != ']'); first = false) {
    char low = pattern[0];
    char high = low;
    size_t used = 1;
    if (pattern.size() > 2 && pattern[1] == '-' && pattern[2] != ']') high = pattern[2], used = 3;
    hit = hit || (low <= c && c <= high);
    pattern.remove_prefix(used);
  }
  if (!pattern.empty()) pattern.remove_prefix(1);
  return hit != negated;
}

// Does the first element of the pattern take the character? Advances behind it.
bool character_match(std::string_view& pattern, char c) {
  if (pattern.empty()) return false;
  char p = pattern[0];
  pattern.remove_prefix(1);
  return p == '[' ? class_match(pattern, c) : p == '?' || p == c;
}

// Only the last star is ever tried again: what an earlier one could take, it can take too.
bool component_match(std::string_view pattern, std::string_view text) {
  std::optional<std::string_view> behind_star;
  std::string_view retry;
  while (!text.empty()) {
    std::string_view rest = pattern;
    if (pattern.starts_with('*')) {
      behind_star = pattern = pattern.substr(1);
      retry = text;
    } else if (character_match(rest, text[0])) {
      pattern = rest;
      text.remove_prefix(1);
    } else if (behind_star) {
      pattern = *behind_star;
      text = retry = retry.substr(1);
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*') == std::string_view::npos;
}

// The same over components, with ** for the star.
bool components_match(std::span<const std::string> pattern, std::span<const std::string> path) {
  std::optional<std::span<const std::string>> behind_star;
  std::span<const std::string> retry;
  while (!path.empty()) {
    if (!pattern.empty() && pattern[0] == "**") {
      behind_star = pattern = pattern.subspan(1);
      retry = path;
    } else if (!pattern.empty() && component_match(pattern[0], path[0])) {
      pattern = pattern.subspan(1);
      path = path.subspan(1);
    } else if (behind_star) {
      pattern = *behind_star;
      path = retry = retry.subspan(1);
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin(), pattern.end(), [](const std::string& part) { return part == "**"; });
}

class Walk {
 public:
  explicit Walk(const Search& search) : search_(search) {}

  void below(const fs::path& directory, const std::vector<std::string>& patterns) {
    std::error_code ec;
    auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator it(directory, options, ec), end; !ec && it != end; it.increment(ec)) {
      std::error_code ignored;
      if (it->is_directory(ignored)) {
        if (!enters(it->path())) it.disable_recursion_pending();
        continue;
      }
      std::string relative = it->path().lexically_relative(directory).generic_string();
      auto matches = [&](const std::string& pattern) { return glob_match(pattern, relative); };
      if (std::any_of(patterns.begin(), patterns.end(), matches) && it->is_regular_file(ignored)) found.push_back(it->path());
    }
  }

  std::vector<fs::path> found;

 private:
  bool enters(const fs::path& directory) const {
    std::string name = directory.filename().string();
    if (name == "node_modules" || name.starts_with('.')) return false;
    fs::path normal = directory.lexically_normal();
    return std::find(search_.skipped.begin(), search_.skipped.end(), normal) == search_.skipped.end();
  }

  const Search& search_;
};

// "/a/b/**/x.yaml" → the directory before the first wildcard, and the pattern below it.
std::pair<fs::path, std::string> split_glob(const fs::path& cwd, const std::string& pattern) {
  fs::path base = pattern.starts_with('/') ? fs::path("/") : cwd;
  std::vector<std::string> rest;
  for (const auto& part : split(pattern, '/')) {
    if (part.empty() || part == ".") continue;
    if (rest.empty() && !is_glob(part))
      base /= part;
    else
      rest.push_back(part);
  }
  return {base.lexically_normal(), join(rest, "/")};
}

std::optional<Error> collect(Walk& walk, const std::string& pattern, const Search& search) {
  auto wrong = [&](std::string message) { return Error{ErrorKind::kInput, std::move(message), {}, {}}; };
  fs::path path = (search.cwd / pattern).lexically_normal();
  std::error_code ec;
  fs::file_status status = fs::status(path, ec);
  if (fs::is_directory(status)) {
    size_t before = walk.found.size();
    walk.below(path, kDefaultPatterns);
    if (walk.found.size() > before) return std::nullopt;
    return wrong(fmt::format("no test file (*.test.yaml, *.test.yml) below {}", visible(pattern)));
  }
  if (fs::is_regular_file(status)) return walk.found.push_back(path), std::nullopt;
  if (fs::exists(status)) return wrong(fmt::format("{} is not a regular file", visible(pattern)));
  if (!is_glob(pattern)) return wrong(fmt::format("{}: no such file or directory", visible(pattern)));
  auto [base, rest] = split_glob(search.cwd, pattern);
  size_t before = walk.found.size();
  walk.below(base, {rest});
  if (walk.found.size() > before) return std::nullopt;
  return wrong(fmt::format("no file matches {}", visible(pattern)));
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view path) {
  return components_match(split(pattern, '/'), split(path, '/'));
}

tl::expected<std::vector<fs::path>, Errors> discover(const std::vector<std::string>& patterns, const Search& search) {
  Walk walk(search);
  Errors errors;
  if (patterns.empty()) walk.below(search.root, kDefaultPatterns);
  for (const auto& pattern : patterns)
    if (auto error = collect(walk, pattern, search)) errors.push_back(std::move(*error));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  if (walk.found.empty())
    return tl::unexpected(Errors{{ErrorKind::kInput,
                                  fmt::format("no test file (*.test.yaml, *.test.yml) below {}", search.root.string()),
                                  {},
                                  "`assay run PATTERN…` takes files, directories and globs"}});
  auto by_path = [](const fs::path& a, const fs::path& b) { return a.generic_string() < b.generic_string(); };
  std::sort(walk.found.begin(), walk.found.end(), by_path);
  walk.found.erase(std::unique(walk.found.begin(), walk.found.end()), walk.found.end());
  return std::move(walk.found);
}

}  // namespace assay
