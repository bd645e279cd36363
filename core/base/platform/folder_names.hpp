// The names in a folder. (GCC 12's std::filesystem iterator terminates the program if memory runs out.)
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kino {

/// Iterates once over the names in a folder, which are read from the disk. Used by one thread.
class FolderNames {
 public:
  explicit FolderNames(const std::filesystem::path& folder);

  /// Returns the errno of a failure to read the folder, or 0.
  int error() const { return error_; }
  /// Returns the next name except . and .., in unspecified order, valid until the next call. nullptr at the
  /// end.
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
