#include "core/base/platform/new_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/messages/message.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/folder_names.hpp"
#include "core/base/platform/system_failure.hpp"

namespace kino {
namespace {

constexpr const char* kTemporaryExtension = ".part";

Error failure(msg::Id what) { return no_space_or_system(what, system_failure(errno)); }

}  // namespace

std::filesystem::path resolve_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // the kernel's limit
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code code;
    const std::filesystem::path next = std::filesystem::read_symlink(path, code);
    if (code) break;
    path = path.parent_path() / next;  // an absolute link replaces the folder
  }
  return path;
}

std::optional<Error> missing_folder(const std::filesystem::path& file) {
  std::filesystem::path folder = resolve_links(file).parent_path();
  if (folder.empty()) folder = ".";
  const Result<FileFacts> facts = file_facts(folder);
  if (!facts) return no_space_or_system(msg::file_cannot_be_created, facts.error());
  if (facts.value().type == FileType::folder) return std::nullopt;
  return no_space_or_system(msg::file_cannot_be_created, system_failure(ENOTDIR));
}

std::optional<Error> reserve(int fd, std::uint64_t size_bytes) {
  int reason = EINTR;
  while (reason == EINTR) reason = ::posix_fallocate(fd, 0, static_cast<off_t>(size_bytes));
  return reason == 0 ? std::nullopt : std::optional(system_failure(reason));
}

NewFile::NewFile(int fd, std::filesystem::path folder, std::filesystem::path temporary)
    : fd_(fd), folder_(std::move(folder)), temporary_(std::move(temporary)) {}

NewFile::NewFile(NewFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      folder_(std::move(other.folder_)),
      temporary_(std::exchange(other.temporary_, {})) {}

NewFile::~NewFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

Result<NewFile> NewFile::create(const std::filesystem::path& parent, bool unnamed) {
  // A relative name without a folder has an empty parent path.
  const std::filesystem::path folder = parent.empty() ? "." : parent;
  if (unnamed) {
    const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return NewFile(fd, folder, {});
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
      return failure(msg::file_cannot_be_created);
  }
  std::string path = (folder / "XXXXXX").string() + kTemporaryExtension;
  const int fd = ::mkostemps(path.data(), static_cast<int>(std::strlen(kTemporaryExtension)), O_CLOEXEC);
  if (fd < 0) return failure(msg::file_cannot_be_created);
  NewFile file(fd, folder, path);
  // Locking fails if another process has already locked the file to remove it as a leftover.
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return failure(msg::file_cannot_be_locked);
  return file;
}

std::optional<Error> NewFile::publish(const std::string& name) {
  const std::filesystem::path target = folder_ / name;
  if (temporary_.empty()) return publish_unnamed(fd_, target);
  if (::rename(temporary_.c_str(), target.c_str()) != 0) return failure(msg::file_cannot_be_renamed);
  temporary_.clear();
  return std::nullopt;
}

std::optional<Error> publish_unnamed(int fd, const std::filesystem::path& target) {
  constexpr int kMostTries = 8;  // other processes may create the same name again
  const std::string from = "/proc/self/fd/" + std::to_string(fd);
  for (int i = 0; i < kMostTries; ++i) {
    ::unlink(target.c_str());
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, target.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return std::nullopt;
    if (errno != EEXIST) break;
  }
  return failure(msg::file_cannot_be_renamed);
}

bool is_temporary_name(const std::filesystem::path& path) { return path.extension() == kTemporaryExtension; }

void remove_leftovers(const std::filesystem::path& folder) {
  FolderNames names(folder);
  while (const char* const name = names.next()) {
    const std::filesystem::path path = folder / name;
    if (!is_temporary_name(path)) continue;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
    ::close(fd);
  }
}

}  // namespace kino
