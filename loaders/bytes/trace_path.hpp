// Names of traces that are no plain file names: FILE#ENTRY in an archive, "-" for the standard input.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
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
/// The `number`-th file called `name` of an archive: NAME#NUMBER.
std::string numbered_entry(const std::string& name, std::size_t number);
/// What numbered_entry() made; nullopt for other names.
struct NumberedEntry {
  std::string name;
  std::size_t number = 1;
};
std::optional<NumberedEntry> split_numbered_entry(const std::string& entry);

/// FILE#ENTRY.
std::filesystem::path join_trace_path(const std::filesystem::path& file, const std::string& entry);

}  // namespace kino
