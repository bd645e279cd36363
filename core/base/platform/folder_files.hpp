// The files in a folder and its subfolders. Symbolic links are followed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "core/base/platform/file_facts.hpp"

namespace kino {

struct FolderFile {
  std::filesystem::path path;
  std::filesystem::path name;  ///< path relative to the visited folder; a link appears by its own name
  FileFacts facts;             ///< facts of the regular file, even if it is behind a link
};

/// Calls `visit` for each regular file in `folder` and `levels` levels of subfolders, until `visit` returns
/// false or `stop` is requested. Files that are not behind a link come first, then links sorted by name, then
/// links inside linked folders, and so on. Each folder is entered once, and a file behind a link is skipped
/// if it was already visited, so loops end. Hard links that are not behind a link are separate files.
/// Unreadable folders count as empty. Returns the number of links that lead to neither a regular file nor a
/// folder.
std::size_t visit_files(const std::filesystem::path& folder, int levels, const std::stop_token& stop,
                        const std::function<bool(const FolderFile&)>& visit);

}  // namespace kino
