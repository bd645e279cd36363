#include "core/base/platform/space.hpp"

#include <fstream>
#include <string>

#include <sys/statvfs.h>
#include <unistd.h>

namespace kino {
namespace {

/// Returns the space from a struct statvfs. `call` fills it and returns 0 on success, as statvfs(3) does.
template <class Call>
std::optional<Space> space_from(const Call& call) {
  struct statvfs status {};
  if (call(&status) != 0) return std::nullopt;
  return Space{status.f_blocks * status.f_frsize, status.f_bavail * status.f_frsize};
}

}  // namespace

std::optional<Space> disk_space(const std::filesystem::path& folder) {
  return space_from([&](struct statvfs* status) { return ::statvfs(folder.c_str(), status); });
}

std::optional<Space> disk_space(int fd) {
  return space_from([&](struct statvfs* status) { return ::fstatvfs(fd, status); });
}

std::optional<Space> memory_space() {
  std::ifstream file("/proc/meminfo");
  Space space;
  for (std::string word; file >> word;) {
    if (word == "MemTotal:") file >> space.total_bytes;
    if (word == "MemAvailable:") file >> space.free_bytes;
  }
  if (space.total_bytes == 0) return std::nullopt;
  space.total_bytes <<= 10U;
  space.free_bytes <<= 10U;
  return space;
}

std::uint64_t memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return 0;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

}  // namespace kino
