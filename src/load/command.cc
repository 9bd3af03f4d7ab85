#include "load/command.h"

namespace assay {

std::vector<std::string> read_command(Reader& reader, const Node& node, const std::string& example) {
  if (node.is_string()) {
    reader.error(node, "`cmd` must be a list: the program and its arguments (no shell is used)", "write cmd: " + example);
    return {};
  }
  if (node.is_list() && node.items.empty()) reader.error(node, "`cmd` is empty");
  return reader.texts(node, "`cmd`");
}

}  // namespace assay
