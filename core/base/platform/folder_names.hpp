// The names in a folder. (The standard library's iterator terminates the program without memory in GCC 12.)
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kino {

/// Iterates once over a folder; reads from the disk. One thread.
class FolderNames {
 public:
  explicit FolderNames(const std::filesystem::path& folder);

  /// The errno of a failure to read the folder, or 0.
  int error() const { return error_; }
  /// The next name except . and .., in no order, valid until the next call. nullptr at the end.
  const char* next();

 private:
  struct Closer {
    void operator()(void* folder) const;
  };
  std::unique_ptr<void, Closer> open_;  // a DIR
  int error_ = 0;
};

/// Up to `most` names of a folder.
struct NamesInFolder {
  std::vector<std::string> names;
  int error = 0;  ///< as FolderNames::error()
};
NamesInFolder names_in(const std::filesystem::path& folder, std::size_t most = 50'000);

}  // namespace kino
