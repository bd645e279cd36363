// The names in a folder. The standard library's own iterator ends the program when there is no memory (GCC
// 12).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kino {

/// Goes through a folder once, as slow as the disk. One thread.
class FolderNames {
 public:
  explicit FolderNames(const std::filesystem::path& folder);

  /// Why the folder cannot be read, as errno says it; 0 when it can.
  int error() const { return error_; }
  /// The next name but for . and .., in no order; it holds until the next call. nullptr at the end.
  const char* next();

 private:
  struct Closer {
    void operator()(void* folder) const;
  };
  std::unique_ptr<void, Closer> open_;  // the system's own
  int error_ = 0;
};

/// At most so many of them.
struct NamesInFolder {
  std::vector<std::string> names;
  int error = 0;  ///< as FolderNames::error()
};
NamesInFolder names_in(const std::filesystem::path& folder, std::size_t most = 50'000);

}  // namespace kino
