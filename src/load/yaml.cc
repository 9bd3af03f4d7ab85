#include "load/yaml.h"

#include <fmt/format.h>
#include <libfyaml.h>

#include <charconv>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"

namespace assay {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxNodes = 1'000'000;
constexpr size_t kBytesOfNode = 64;  // of text that weigh as much as a node

struct ParserDeleter {
  void operator()(fy_parser* p) const { fy_parser_destroy(p); }
  void operator()(fy_diag* d) const { fy_diag_destroy(d); }
};

// Folds the parser's events into nodes.
class Builder {
 public:
  explicit Builder(const Source& source) : source_(source) {
    size_t bom = source.text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
    lines_.push_back(bom);
    for (size_t i = 0; i < source.text.size(); ++i)
      if (source.text[i] == '\n') lines_.push_back(i + 1);
  }

  // False: stop, a mistake was noted.
  bool on(fy_event& event) {
    switch (event.type) {
      case FYET_DOCUMENT_START: return start_document(event);
      case FYET_SCALAR: return add(scalar(event), text_of(event.scalar.anchor));
      case FYET_ALIAS: return alias(event);
      case FYET_SEQUENCE_START: return open(event, Node::Kind::kList, text_of(event.sequence_start.anchor));
      case FYET_MAPPING_START: return open(event, Node::Kind::kMap, text_of(event.mapping_start.anchor));
      case FYET_SEQUENCE_END:
      case FYET_MAPPING_END: return close();
      default: return true;
    }
  }

  Node take() { return std::move(root_); }
  Errors take_errors() { return std::move(errors_); }
  bool has_document() const { return documents_ > 0; }

 private:
  struct Frame {
    Node node;
    std::string anchor;
    std::optional<Node> key;
    std::unordered_set<std::string> keys;            // written here
    std::unordered_map<std::string, size_t> places;  // of the members, merged ones too
  };

  static std::string text_of(fy_token* token) {
    size_t length = 0;
    const char* text = token ? fy_token_get_text(token, &length) : nullptr;
    return text ? std::string(text, length) : std::string();
  }

  bool mistake(const Node& at, std::string message, std::string hint = {}) {
    errors_.push_back({ErrorKind::kInput, std::move(message), at.place(), std::move(hint)});
    return false;
  }

  Node located(fy_event& event, Node::Kind kind) {
    Node node;
    node.kind = kind;
    node.source = &source_;
    const fy_mark* start = fy_event_start_mark(&event);
    const fy_mark* end = fy_event_end_mark(&event);
    if (!start) {  // an empty value: it stands where its key ends
      if (!stack_.empty() && stack_.back().key) {
        const Node& key = *stack_.back().key;
        node.line = key.line, node.column = key.column, node.length = key.length;
      }
      return node;
    }
    size_t from = start->input_pos;
    auto line = std::upper_bound(lines_.begin(), lines_.end(), from) - 1;
    size_t next = line + 1 == lines_.end() ? source_.text.size() : *(line + 1) - 1;
    node.line = static_cast<int>(line - lines_.begin()) + 1;
    node.column = static_cast<int>(from - *line) + 1;
    size_t to = end ? std::clamp(end->input_pos, from, std::max(from, next)) : from;
    node.length = static_cast<int>(std::max<size_t>(to - from, 1));
    return node;
  }

  // A collection is shown by the rest of the line it begins on.
  void underline_line(Node& node) const {
    if (node.line == 0) return;
    size_t from = lines_[static_cast<size_t>(node.line) - 1] + static_cast<size_t>(node.column) - 1;
    std::string_view rest = std::string_view(source_.text).substr(from);
    node.length = std::max(1, static_cast<int>(trim(rest.substr(0, rest.find('\n'))).size()));
  }

  Node scalar(fy_event& event) {
    Node node = located(event, Node::Kind::kString);
    node.text = text_of(event.scalar.value);
    node.plain = fy_token_scalar_style(event.scalar.value) == FYSS_PLAIN;
    node.scalar = node.plain ? type_plain_scalar(node.text) : Json(node.text);
    if (node.scalar.is_null()) node.kind = Node::Kind::kNull;
    if (node.scalar.is_boolean()) node.kind = Node::Kind::kBool;
    if (node.scalar.is_number()) node.kind = Node::Kind::kNumber;
    return node;
  }

  bool start_document(fy_event& event) {
    if (++documents_ == 1) return true;
    return mistake(located(event, Node::Kind::kNull), "a second document in one file", "put each test into a file of its own");
  }

  bool alias(fy_event& event) {
    std::string name = text_of(event.alias.anchor);
    auto found = anchors_.find(name);
    Node here = located(event, Node::Kind::kNull);
    if (found == anchors_.end()) return mistake(here, fmt::format("alias *{} has no anchor before it", visible(name)));
    expanded_ += found->second.weight;
    if (expanded_ > kMaxNodes) return mistake(here, "aliases expand to more than a million values");
    if (stack_.size() + found->second.depth > kMaxDepth) return too_deep(here);
    Node copy = found->second.node;
    return add(std::move(copy), {});
  }

  bool open(fy_event& event, Node::Kind kind, std::string anchor) {
    Frame frame{located(event, kind), std::move(anchor), std::nullopt, {}, {}};
    underline_line(frame.node);
    if (stack_.size() >= kMaxDepth) return too_deep(frame.node);
    stack_.push_back(std::move(frame));
    return true;
  }

  bool too_deep(const Node& at) { return mistake(at, fmt::format("nested deeper than {} levels", kMaxDepth)); }

  bool close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    return add(std::move(frame.node), frame.anchor);
  }

  struct Anchor {
    Node node;
    size_t weight = 0;  // in nodes
    size_t depth = 0;   // levels of lists and maps
  };

  static Anchor anchored(const Node& node) {
    Anchor out{{}, 1 + node.text.size() / kBytesOfNode, 0};
    auto below = [&out](const Node& inner) {
      Anchor a = anchored(inner);
      out.weight += a.weight;
      out.depth = std::max(out.depth, a.depth);
    };
    for (const auto& item : node.items)
      below(item);
    for (const auto& member : node.members)
      below(member.key), below(member.value);
    if (node.is_list() || node.is_map()) ++out.depth;
    return out;
  }

  bool add(Node node, const std::string& anchor) {
    if (!anchor.empty()) {
      Anchor& named = anchors_[anchor] = anchored(node);
      named.node = node;
    }
    if (stack_.empty()) return root_ = std::move(node), true;
    Frame& frame = stack_.back();
    if (frame.node.is_list()) return frame.node.items.push_back(std::move(node)), true;
    if (!frame.key) return take_key(frame, std::move(node));
    Node key = std::move(*frame.key);
    frame.key.reset();
    if (key.text == "<<" && key.plain) return merge(frame, key, node);
    // Keys of its own win over merged ones, wherever they stand.
    auto [place, is_new] = frame.places.emplace(key.text, frame.node.members.size());
    if (is_new) frame.node.members.emplace_back();
    frame.node.members[place->second] = {std::move(key), std::move(node)};
    return true;
  }

  bool take_key(Frame& frame, Node key) {
    if (key.is_list() || key.is_map()) return mistake(key, "a key must be text");
    if (!frame.keys.insert(key.text).second) mistake(key, fmt::format("{} is given twice", quote(key.text)));
    frame.key = std::move(key);
    return true;
  }

  bool merge(Frame& frame, const Node& key, const Node& value) {
    if (value.is_list()) {
      for (const auto& item : value.items)
        if (!merge(frame, key, item)) return false;
      return true;
    }
    if (!value.is_map()) return mistake(key, "`<<` takes a map or a list of maps");
    for (const auto& member : value.members)
      if (frame.places.emplace(member.key.text, frame.node.members.size()).second) frame.node.members.push_back(member);
    return true;
  }

  const Source& source_;
  std::vector<size_t> lines_;  // where each begins
  std::vector<Frame> stack_;
  std::map<std::string, Anchor> anchors_;
  Node root_;
  Errors errors_;
  int documents_ = 0;
  size_t expanded_ = 0;
};

// The library counts characters; a file that ends too early is blamed where its text ends.
Error syntax_error(const fy_diag_error& error, const Source& source) {
  Node at;
  at.source = &source;
  at.line = std::max(error.line, 1);
  at.length = 1;
  std::string line = at.place().text;
  size_t byte = 0;
  for (int column = 1; column < error.column && byte < line.size(); ++column)
    do
      ++byte;
    while (byte < line.size() && (static_cast<unsigned char>(line[byte]) & 0xC0) == 0x80);
  while (trim(line).empty() && at.line > 1) {
    --at.line;
    line = at.place().text;
    byte = line.size();
  }
  at.column = static_cast<int>(byte) + 1;
  return {ErrorKind::kInput, fmt::format("not YAML: {}", error.msg ? error.msg : "syntax error"), at.place(), {}};
}

// The library would take a NUL byte for the end of the file.
std::optional<Error> not_text(const Source& source) {
  size_t nul = source.text.find('\0');
  size_t good = std::min(nul, valid_utf8_length(source.text));
  if (good >= source.text.size()) return std::nullopt;
  std::string_view before(source.text.data(), good);
  Node at;
  at.source = &source;
  at.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  at.column = static_cast<int>(good - (before.rfind('\n') + 1)) + 1;
  at.length = 1;
  return Error{ErrorKind::kInput, good == nul ? "the file holds a NUL byte" : "the file is not UTF-8", at.place(), {}};
}

}  // namespace

Json type_plain_scalar(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  char c = text[0];
  bool numeric = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
  if (!numeric) return text;
  const char* from = text.data() + (c == '+' ? 1 : 0);
  const char* to = text.data() + text.size();
  if (from == to || (c == '+' && *from == '-')) return text;
  int64_t integer = 0;
  uint64_t large = 0;
  if (text.rfind("0x", 0) == 0 || text.rfind("0o", 0) == 0) {
    auto [end, ec] = std::from_chars(from + 2, to, large, text[1] == 'x' ? 16 : 8);
    return ec == std::errc() && end == to ? Json(large) : Json(text);
  }
  if (auto [end, ec] = std::from_chars(from, to, integer); ec == std::errc() && end == to) return integer;
  if (auto [end, ec] = std::from_chars(from, to, large); ec == std::errc() && end == to) return large;
  double number = 0;
  bool looks_decimal = text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (auto [end, ec] = std::from_chars(from, to, number); looks_decimal && ec == std::errc() && end == to) return number;
  return text;
}

tl::expected<Document, Errors> parse_yaml(std::shared_ptr<const Source> source) {
  if (auto error = not_text(*source)) return tl::unexpected(Errors{std::move(*error)});
  fy_diag_cfg diag_config;
  fy_diag_cfg_default(&diag_config);
  std::unique_ptr<fy_diag, ParserDeleter> diag(fy_diag_create(&diag_config));
  fy_diag_set_collect_errors(diag.get(), true);
  fy_parse_cfg config{};
  config.diag = diag.get();
  config.flags = static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_ALLOW_DUPLICATE_KEYS);
  std::unique_ptr<fy_parser, ParserDeleter> parser(fy_parser_create(&config));
  fy_parser_set_string(parser.get(), source->text.data(), source->text.size());

  Builder builder(*source);
  bool going = true;
  while (fy_event* event = going ? fy_parser_parse(parser.get()) : nullptr) {
    going = builder.on(*event);
    fy_parser_event_free(parser.get(), event);
  }
  Errors errors = builder.take_errors();
  void* previous = nullptr;
  while (fy_diag_error* error = fy_diag_errors_iterate(diag.get(), &previous))
    errors.push_back(syntax_error(*error, *source));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  if (!builder.has_document())
    return tl::unexpected(Errors{{ErrorKind::kInput, "the file is empty", {source->name, 0, 0, 0, {}}, {}}});
  return Document{std::move(source), builder.take()};
}

}  // namespace assay
