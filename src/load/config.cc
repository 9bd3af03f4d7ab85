#include "load/config.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/text.h"
#include "load/launch_spec.h"
#include "load/tool_stubs.h"
#include "load/variables.h"
#include "load/yaml.h"

namespace assay {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 3> kNames = {"assay.config.yaml", "aguitest.config.yaml", "ananke.config.yaml"};
constexpr off_t kMaxFileBytes = 64 << 20;

std::optional<fs::path> find_config(fs::path directory) {
  for (;; directory = directory.parent_path()) {
    for (auto name : kNames) {
      std::error_code ec;
      if (fs::is_regular_file(directory / name, ec)) return directory / name;
    }
    if (directory == directory.parent_path()) return std::nullopt;
  }
}

void read_size(Reader& r, const Node& n, std::string_view what, size_t& out) {
  if (auto value = r.integer(n, what, 1, int64_t{1} << 40)) out = static_cast<size_t>(*value);
}

constexpr Field<Limits> kLimitFields[] = {
    {"event_bytes", "number", "longest SSE event (16 MiB)",
     [](Reader& r, const Node& n, Limits& l) { read_size(r, n, "`event_bytes`", l.event_bytes); }},
    {"turn_bytes", "number", "most bytes of one turn (256 MiB)",
     [](Reader& r, const Node& n, Limits& l) { read_size(r, n, "`turn_bytes`", l.turn_bytes); }},
    {"json_depth", "number", "deepest nesting of a JSON value (200)",
     [](Reader& r, const Node& n, Limits& l) { read_size(r, n, "`json_depth`", l.json.depth); }},
    {"object_members", "number", "most members of one JSON object (4096)",
     [](Reader& r, const Node& n, Limits& l) { read_size(r, n, "`object_members`", l.json.object_members); }},
    {"hook_output_bytes", "number", "most bytes a hook may print (10 MiB)",
     [](Reader& r, const Node& n, Limits& l) { read_size(r, n, "`hook_output_bytes`", l.hook_output_bytes); }},
};

void read_rate(Reader& r, const Node& n, Config& c) {
  auto rate = r.number(n, "`max_per_second`");
  if (rate && *rate <= 0) r.error(n, "`max_per_second` must be above zero");
  if (rate) c.max_per_second = *rate;
}

void read_agents(Reader& r, const Node& n, Config&) {
  if (!r.map(n, "`agents`")) return;
  for (const auto& member : n.members)
    if (r.map(member.value, fmt::format("agent {}", quote(member.key.text))))
      if (const Node* launch = member.value.find("launch"))
        r.error(*launch, "`launch` of one of `agents` is not supported: a run launches one application",
                "put it into `target` or beside it");
}

constexpr Field<Config> kConfigFields[] = {
    {"version", "text", "version of the format, 1.x", [](Reader& r, const Node& n, Config&) { read_version(r, n); }},
    {"target", "agent", "the agent under test", [](Reader& r, const Node& n, Config&) { r.map(n, "`target`"); }},
    {"agents", "map of agent", "more agents by id", read_agents},
    {"tools", "list of tool", "stubs for client-side tools", [](Reader& r, const Node& n, Config&) { r.list(n, "`tools`"); }},
    {"unmocked", "word", "what a call nobody answers gets", [](Reader& r, const Node& n, Config&) { read_unmocked(r, n); }},
    {"assertions", "map of assert", "named check blocks, used by `extends`",
     [](Reader& r, const Node& n, Config&) { r.map(n, "`assertions`"); }},
    {"vars", "map", "variables", [](Reader& r, const Node& n, Config&) { r.map(n, "`vars`"); }},
    {"launch", "launch", "starts the application first",
     [](Reader& r, const Node& n, Config& c) { c.launch = read_launch(r, n, c.directory); }},
    {"protocol", "protocol", "how protocol violations count", [](Reader&, const Node&, Config&) {}},
    {"limits", "limits", "what hostile input is cut at",
     [](Reader& r, const Node& n, Config& c) { read_fields<Limits>(r, n, c.limits, kLimitFields, "`limits`"); }},
    {"max_per_second", "number", "most turns started in a second", read_rate},
    {"processes", "map", "commands behind Process()",
     [](Reader& r, const Node& n, Config&) { refuse_not_built(r, n, "`processes`"); }},
};

// What is needed before any case starts cannot wait for a variable that only a hook sets.
void refuse_waiting(Reader& reader, const Node& root, const Node& resolved, Bindings bindings) {
  bindings.unknown = Bindings::Unknown::kMistake;
  for (const auto& member : resolved.members) {
    std::string_view key = member.key.text;
    bool may_wait =
        key == "target" || key == "agents" || key == "assertions" || key == "protocol" || key == "vars" || key == "tools";
    if (!may_wait && member.value.has_deferred()) resolve_variables(*root.find(key), bindings, reader);
  }
}

// `target` may wait for variables of hooks, its `launch` may not. Without `ready` the target's port is waited for.
void read_target_launch(Reader& reader, const Node& resolved, Bindings bindings, Config& config) {
  const Node* target = resolved.is_map() ? resolved.find("target") : nullptr;
  if (!target || !target->is_map()) return;
  if (const Node* launch = target->find("launch")) {
    bindings.unknown = Bindings::Unknown::kMistake;
    if (config.launch) reader.error(*launch, "`launch` stands in the config and in its target: a run launches one application");
    if (launch->has_deferred())
      resolve_variables(*config.target->find("launch"), bindings, reader);
    else
      config.launch = read_launch(reader, *launch, config.directory);
  }
  const Node* endpoint = target->find("endpoint");
  if (config.launch && !config.launch->ready && endpoint && endpoint->is_string())
    config.launch->ready = port_of_url(endpoint->text);
}

// The keys of the table are read; the rest are flags, or mistakes.
void read_config(Reader& reader, const Node& root, const std::vector<std::string>& flag_names, Config& config) {
  if (root.is_null()) return;
  if (!reader.map(root, "the config")) return;
  std::vector<std::string> known;
  for (const auto& field : kConfigFields)
    known.emplace_back(field.name);
  known.insert(known.end(), flag_names.begin(), flag_names.end());
  for (const auto& member : root.members) {
    auto field = std::find_if(std::begin(kConfigFields), std::end(kConfigFields),
                              [&](const auto& f) { return f.name == member.key.text; });
    if (field != std::end(kConfigFields))
      field->read(reader, member.value, config);
    else if (std::find(flag_names.begin(), flag_names.end(), member.key.text) != flag_names.end())
      config.flags.emplace_back(member.key.text, member.value);
    else
      reader.unknown_key(member.key, known, "the config");
  }
}

}  // namespace

void read_version(Reader& reader, const Node& node) {
  auto version = reader.text(node, "`version`");
  if (!version) return;
  bool one = *version == "1" || (version->rfind("1.", 0) == 0 && version->size() > 2 &&
                                 version->find_first_not_of("0123456789", 2) == std::string::npos);
  if (!one)
    reader.error(node, fmt::format("version {} is not supported", quote(*version)),
                 "this program reads version 1.x: write version: \"1.0\"");
}

void refuse_not_built(Reader& reader, const Node& node, std::string_view what) {
  reader.error(node, fmt::format("{} is not supported yet by assay " ASSAY_VERSION, what));
}

Result<std::shared_ptr<const Source>> read_source(const fs::path& path, const fs::path& shown_from) {
  fs::path relative = path.lexically_relative(shown_from);
  bool below = !relative.empty() && *relative.begin() != "..";
  auto source = std::make_shared<Source>(Source{(below ? relative : path).generic_string(), {}});
  auto cannot = [&](std::string_view why) {
    return unexpected<Error>({ErrorKind::kInput, fmt::format("cannot read the file: {}", why), {source->name, 0, 0, 0, {}}, {}});
  };
  // A pipe must not hold us up before it is refused.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return cannot(std::strerror(errno));
  struct stat info {};
  std::string why;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) why = "it is not a regular file";
  if (why.empty() && info.st_size > kMaxFileBytes) why = "it is larger than 64 MiB";
  if (why.empty()) {
    source->text.resize(static_cast<size_t>(info.st_size));
    ssize_t n = ::read(fd, source->text.data(), source->text.size());
    if (n < 0) why = std::strerror(errno);
    source->text.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  }
  ::close(fd);
  if (!why.empty()) return cannot(why);
  return source;
}

tl::expected<Config, Errors> load_config(const ConfigSource& from) {
  Config config;
  config.directory = from.env->cwd;
  auto path = from.path ? std::optional<fs::path>((from.env->cwd / *from.path).lexically_normal()) : find_config(from.env->cwd);
  if (!path) return config;
  auto source = read_source(*path, from.env->cwd);
  if (!source) return tl::unexpected(Errors{source.error()});
  auto document = parse_yaml(*source);
  if (!document) return tl::unexpected(document.error());

  config.path = *path;
  config.directory = path->parent_path();
  config.document = std::make_shared<Document>(std::move(*document));
  const Node& root = config.document->root;
  config.target = root.find("target");
  config.agents = root.find("agents");
  config.assertions = root.find("assertions");
  config.protocol = root.find("protocol");
  config.tools = root.find("tools");
  config.unmocked = root.find("unmocked");
  config.vars = root.find("vars");

  Reader reader;
  Variables known;
  if (from.variables) known = *from.variables;
  Bindings bindings{from.env, &known, from.secrets, Bindings::Unknown::kDefer};
  Node resolved = resolve_variables(root, bindings, reader);
  if (reader.ok() && resolved.has_deferred()) {
    if (config.vars) add_vars(*config.vars, Variables(known), bindings, known, reader);
    resolved = resolve_variables(root, bindings, reader);
    refuse_waiting(reader, root, resolved, bindings);
  }
  read_config(reader, resolved, from.flag_names, config);
  read_target_launch(reader, resolved, bindings, config);
  if (!reader.ok()) return tl::unexpected(reader.take_errors());
  return config;
}

}  // namespace assay
