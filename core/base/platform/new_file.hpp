// A file in the making: it gets its name when it is complete, and leaves nothing behind when it is not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.hpp"

namespace kino {

/// Where the file system has unnamed files (O_TMPFILE), it is one, which the kernel removes however the
/// program ends. Else it has a temporary name, and a lock that tells remove_leftovers() that its maker lives.
class NewFile {
 public:
  /// Creates the file in `parent`, or in the current folder if that is empty. Without `unnamed`, it is of the
  /// second kind.
  static Result<NewFile> create(const std::filesystem::path& parent, bool unnamed = true);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  /// Removes it, unless it was published.
  ~NewFile();

  int fd() const { return fd_; }
  /// Puts it in the place of what has this name in the folder. All of it is there then or, after a failure,
  /// nothing new.
  std::optional<Error> publish(const std::string& name);

 private:
  NewFile(int fd, std::filesystem::path folder, std::filesystem::path temporary);

  int fd_;
  std::filesystem::path folder_;
  std::filesystem::path temporary_;  // empty: unnamed
};

/// Where symbolic links lead, also one to what is not there yet: what a new file under this name takes the
/// place of, so that the links stay. Of more than the system follows, the last.
std::filesystem::path end_of_links(std::filesystem::path path);

/// The error of NewFile::create() for a new file of this name when its folder is missing or is not a folder;
/// nullopt when the folder is there. Commands ask before they start to compute what they write.
std::optional<Error> missing_folder(const std::filesystem::path& file);

/// Takes the room on the disk for the first bytes of a file, which keep what they hold; the file grows to
/// that size if it is smaller. Writing there cannot fail for want of room afterwards.
std::optional<Error> reserve(int fd, std::uint64_t size_bytes);

/// publish() for the unnamed file behind a descriptor: the old one goes first, so for a moment there is none.
std::optional<Error> publish_unnamed(int fd, const std::filesystem::path& target);

/// Whether a folder's file is, or was, a NewFile of the second kind.
bool is_temporary_name(const std::filesystem::path& path);

/// Removes what makers that have died left in the folder.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace kino
