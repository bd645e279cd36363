// Names of traces that are no plain file names: FILE#ENTRY in an archive, "-" for the standard input.
#pragma once

#include <filesystem>
#include <string>

namespace kino {

inline constexpr const char* kStandardInput = "-";
bool is_standard_input(const std::filesystem::path& path);

struct TracePath {
  std::filesystem::path file;  ///< on disk
  std::string entry;           ///< of the archive `file`; empty: the file itself
};
/// FILE#ENTRY names an entry only when there is no file of that whole name, but a file FILE. Asks the disk.
TracePath split_trace_path(const std::filesystem::path& path);
/// Whether what is there can be read only once: the standard input, a named pipe, a device. Asks the disk.
bool is_read_once(const std::filesystem::path& path);
/// FILE#ENTRY.
std::filesystem::path join_trace_path(const std::filesystem::path& file, const std::string& entry);

}  // namespace kino
