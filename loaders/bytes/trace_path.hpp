// Paths of traces that are not plain files: FILE#ENTRY in an archive, "-" for standard input.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace kino {

inline constexpr const char* kStandardInput = "-";
bool is_standard_input(const std::filesystem::path& path);

struct TracePath {
  std::filesystem::path file;
  std::string entry;  ///< name in the archive `file`; empty: the file itself
};
/// Splits FILE#ENTRY. Such a path names an entry only if FILE is a regular file and no file has the whole
/// path as its name. Accesses the disk.
TracePath split_trace_path(const std::filesystem::path& path);
/// Returns whether the path can be read only once: standard input, named pipe or device. Accesses the disk.
bool is_read_once(const std::filesystem::path& path);
/// Returns NAME#NUMBER for the `number`-th file called `name` in an archive.
std::string numbered_entry(const std::string& name, std::size_t number);
struct NumberedEntry {
  std::string name;
  std::size_t number = 1;
};
/// Parses the result of numbered_entry(); nullopt for other names, and for numbers below 2.
std::optional<NumberedEntry> split_numbered_entry(const std::string& entry);

/// Returns FILE#ENTRY.
std::filesystem::path join_trace_path(const std::filesystem::path& file, const std::string& entry);

}  // namespace kino
