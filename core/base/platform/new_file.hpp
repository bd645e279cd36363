// A file that gets its name when it is complete, and is removed otherwise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.hpp"

namespace kino {

/// The file is unnamed (O_TMPFILE) if the file system supports that; the kernel then removes it however the
/// program ends. Otherwise it has a temporary name and a lock, which shows remove_leftovers() that its
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

/// Resolves symbolic links, also to a missing file, so that a new file of the returned name replaces the
/// target, and the links stay. Stops at the kernel's limit of links.
std::filesystem::path resolve_links(std::filesystem::path path);

/// The error that NewFile::create() would return if the folder is missing or not a folder; nullopt if it
/// exists. Commands check this before they compute their output.
std::optional<Error> missing_folder(const std::filesystem::path& file);

/// Allocates disk space for the first bytes of a file and grows it to that size if needed. The content stays,
/// and writing there cannot run out of space afterwards.
std::optional<Error> reserve(int fd, std::uint64_t size_bytes);

/// Implements NewFile::publish() for an unnamed file. The old file is removed first, so for a moment there is
/// none.
std::optional<Error> publish_unnamed(int fd, const std::filesystem::path& target);

/// Whether a file has the temporary name of a NewFile.
bool is_temporary_name(const std::filesystem::path& path);

/// Removes files that dead processes left in the folder.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace kino
