#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/text.h"
#include "report/reporters.h"

namespace assay {
namespace {

struct FileFormat {
  std::string_view extension;
  std::unique_ptr<Reporter> (*make)(std::string path, const Redactor& redactor);
};

constexpr std::array kFormats = {
    FileFormat{".jsonl", make_jsonl_reporter},
    FileFormat{".json", make_json_reporter},
    FileFormat{".html", make_html_reporter},
    FileFormat{".htm", make_html_reporter},
};

std::string known_extensions() {
  std::vector<std::string> names;
  for (const FileFormat& format : kFormats)
    names.emplace_back(format.extension);
  return join(names, ", ");
}

}  // namespace

Result<std::unique_ptr<Reporter>> make_file_reporter(const std::string& path, const Redactor& redactor) {
  std::string extension = lower(std::filesystem::path(path).extension().string());
  for (const FileFormat& format : kFormats)
    if (format.extension == extension) return format.make(path, redactor);
  return fail(ErrorKind::kUsage, fmt::format("no report format has the extension of {}", quote(path)),
              "the extension decides: " + known_extensions());
}

}  // namespace assay
