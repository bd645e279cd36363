// A new file that gets its name when it is complete; an incomplete file is removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.hpp"

namespace kino {

/// The file is unnamed (O_TMPFILE) if the file system supports that; the kernel then removes it however the
/// program ends. Otherwise it has a temporary name and a lock, which shows remove_leftovers() that the
/// process is alive.
class NewFile {
 public:
  /// Creates the file in `parent`, or in the current folder if `parent` is empty. If `unnamed` is false, the
  /// file gets a temporary name.
  static Result<NewFile> create(const std::filesystem::path& parent, bool unnamed = true);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  /// Removes the file, unless it was published.
  ~NewFile();

  int fd() const { return fd_; }
  /// Gives the file this name in its folder and replaces an existing file. A failure changes nothing, except
  /// as described for publish_unnamed().
  std::optional<Error> publish(const std::string& name);

 private:
  NewFile(int fd, std::filesystem::path folder, std::filesystem::path temporary);

  int fd_;
  std::filesystem::path folder_;
  std::filesystem::path temporary_;  // empty: unnamed
};

/// Follows symbolic links from `path`, even to a missing file, and returns the target. A new file with the
/// returned name therefore replaces the target instead of a link. Stops at the kernel's limit of links.
std::filesystem::path resolve_links(std::filesystem::path path);

/// Returns the error that NewFile::create() would return for the folder of `file` if that folder is missing,
/// not accessible or not a folder; nullopt otherwise. Commands check this before they compute their output.
std::optional<Error> missing_folder(const std::filesystem::path& file);

/// Allocates disk space for the first `size_bytes` of a file and grows the file to that size if needed. The
/// content is unchanged, and writing there cannot run out of space afterwards.
std::optional<Error> reserve(int fd, std::uint64_t size_bytes);

/// Implements NewFile::publish() for an unnamed file. An existing file is removed first, so its name is
/// missing for a moment, and remains missing after a failure.
std::optional<Error> publish_unnamed(int fd, const std::filesystem::path& target);

/// Whether a file has the extension of NewFile's temporary names.
bool is_temporary_name(const std::filesystem::path& path);

/// Removes the temporary files in the folder that no living process has locked.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace kino
