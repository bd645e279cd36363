#include "core/base/platform/folder_names.hpp"

#include <cerrno>
#include <string_view>

#include <dirent.h>

namespace kino {

void FolderNames::Closer::operator()(void* folder) const { ::closedir(static_cast<DIR*>(folder)); }

FolderNames::FolderNames(const std::filesystem::path& folder) : open_(::opendir(folder.c_str())) {
  if (!open_) error_ = errno;
}

const char* FolderNames::next() {
  while (open_) {
    errno = 0;
    const dirent* const entry =
        ::readdir(static_cast<DIR*>(open_.get()));  // thread-safe, since only this thread reads the stream
    if (entry == nullptr) {
      error_ = errno;
      return nullptr;
    }
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry->d_name;
  }
  return nullptr;
}

NamesInFolder names_in(const std::filesystem::path& folder, std::size_t most) {
  FolderNames reading(folder);
  NamesInFolder found;
  while (found.names.size() < most) {
    const char* const name = reading.next();
    if (name == nullptr) break;
    found.names.emplace_back(name);
  }
  found.error = reading.error();
  return found;
}

}  // namespace kino
