// The files in a folder and in the folders below it. Symbolic links are followed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "core/base/platform/file_facts.hpp"

namespace kino {

struct FolderFile {
  std::filesystem::path path;
  std::filesystem::path name;  ///< within the folder, by the names of the links on the way
  FileFacts facts;             ///< of the regular file itself, where a link leads to one
};

/// Calls `visit` for each regular file in `folder` and in `levels` of folders below it, until it returns
/// false or `stop` is requested. Files that are not behind a link come first, then links in the order of
/// their names. Each folder is entered once, and a link to a file that was visited is passed over, so loops
/// end and no file is visited twice. Folders that cannot be read count as empty. Returns the number of links
/// that lead to nothing, or to what is neither a file nor a folder.
std::size_t visit_files(const std::filesystem::path& folder, int levels, const std::stop_token& stop,
                        const std::function<bool(const FolderFile&)>& visit);

}  // namespace kino
