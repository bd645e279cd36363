#include "loaders/bytes/file_stamp.hpp"

#include <sys/stat.h>

namespace kino {
namespace {

std::int64_t ns_from(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileStamp stamp_from(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), ns_from(status.st_mtim),
          ns_from(status.st_ctim)};
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return stamp_from(status);
}

std::optional<FileStamp> stamp_of(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return std::nullopt;
  return stamp_from(status);
}

}  // namespace kino
