#include "core/base/platform/file_facts.hpp"

#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/platform/system_failure.hpp"

namespace kino {
namespace {

constexpr mode_t kPrivateFolder = 0700;

std::int64_t ns_from(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileType type_from(mode_t mode) {
  if (S_ISREG(mode)) return FileType::regular;
  if (S_ISDIR(mode)) return FileType::folder;
  if (S_ISLNK(mode)) return FileType::link;
  if (S_ISFIFO(mode)) return FileType::pipe;
  return S_ISSOCK(mode) ? FileType::socket : FileType::device;
}

/// Returns the facts from a struct stat. `call` fills it and returns 0 on success, as stat(2) does.
template <class Call>
Result<FileFacts> facts_from(const Call& call) {
  struct stat status {};
  if (call(&status) != 0) return system_failure(errno);
  return FileFacts{.type = type_from(status.st_mode),
                   .mine = status.st_uid == ::geteuid(),
                   .permissions = status.st_mode & 07777U,
                   .names = status.st_nlink,
                   .disk_bytes = static_cast<std::uint64_t>(status.st_blocks) * 512,
                   .stamp = {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
                             ns_from(status.st_mtim), ns_from(status.st_ctim)}};
}

}  // namespace

Result<FileFacts> file_facts(const std::filesystem::path& path) {
  return facts_from([&](struct stat* status) { return ::stat(path.c_str(), status); });
}

Result<FileFacts> file_facts(int fd) {
  return facts_from([&](struct stat* status) { return ::fstat(fd, status); });
}

Result<FileFacts> link_facts(const std::filesystem::path& path) {
  return facts_from([&](struct stat* status) { return ::lstat(path.c_str(), status); });
}

bool make_private_folder(const std::filesystem::path& folder) {
  return ::mkdir(folder.c_str(), kPrivateFolder) == 0;
}

bool make_private(const std::filesystem::path& folder) {
  const Result<FileFacts> facts = link_facts(folder);
  if (!facts || facts.value().type != FileType::folder || !facts.value().mine) return false;
  return (facts.value().permissions & 0077U) == 0 || ::chmod(folder.c_str(), kPrivateFolder) == 0;
}

}  // namespace kino
