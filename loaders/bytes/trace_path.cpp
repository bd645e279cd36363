#include "loaders/bytes/trace_path.hpp"

#include <charconv>
#include <system_error>

#include "core/base/platform/file_facts.hpp"

namespace kino {

bool is_standard_input(const std::filesystem::path& path) { return path == kStandardInput; }

TracePath split_trace_path(const std::filesystem::path& path) {
  const std::string& text = path.native();
  if (text.find('#') == std::string::npos || link_facts(path).ok()) return {path, {}};
  for (std::size_t at = text.rfind('#'); at != std::string::npos && at > 0; at = text.rfind('#', at - 1)) {
    const std::string file = text.substr(0, at);
    if (at + 1 == text.size()) continue;
    const Result<FileFacts> facts = file_facts(file);
    if (facts && facts.value().type == FileType::regular) return {file, text.substr(at + 1)};
  }
  return {path, {}};
}

bool is_read_once(const std::filesystem::path& path) {
  if (is_standard_input(path)) return true;
  const Result<FileFacts> facts = file_facts(path);
  return facts && facts.value().type != FileType::regular && facts.value().type != FileType::folder;
}

std::string numbered_entry(const std::string& name, std::size_t number) {
  return name + "#" + std::to_string(number);
}

std::optional<NumberedEntry> split_numbered_entry(const std::string& entry) {
  const std::size_t mark = entry.rfind('#');
  if (mark == std::string::npos || mark == 0) return std::nullopt;
  NumberedEntry split{entry.substr(0, mark)};
  const char* const end = entry.data() + entry.size();
  const auto [stop, error] = std::from_chars(entry.data() + mark + 1, end, split.number);
  if (error != std::errc() || stop != end || split.number < 2) return std::nullopt;
  return split;
}

std::filesystem::path join_trace_path(const std::filesystem::path& file, const std::string& entry) {
  return file.native() + "#" + entry;
}

}  // namespace kino
