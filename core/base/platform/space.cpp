#include "core/base/platform/space.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
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

constexpr std::uint64_t kNoMemoryLimit = std::numeric_limits<std::uint64_t>::max();

/// Returns the lowest limit of a control group and the groups above it. `name` is the file with the limit.
std::uint64_t lowest_group_limit(const std::filesystem::path& root, const std::filesystem::path& group,
                                 const char* name) {
  std::uint64_t lowest = kNoMemoryLimit;
  const std::size_t shortest = root.native().size();
  for (std::filesystem::path folder = root / group.relative_path(); folder.native().size() >= shortest;
       folder = folder.parent_path()) {
    std::ifstream file(folder / name);
    std::uint64_t bytes = 0;
    if (file >> bytes) lowest = std::min(lowest, bytes);  // the word "max" means no limit
  }
  return lowest;
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

std::optional<std::uint64_t> control_group_memory_bytes(const std::filesystem::path& membership,
                                                        const std::filesystem::path& groups) {
  // Lines have the form HIERARCHY:CONTROLLERS:GROUP. Version 2 has one hierarchy, 0, without controllers.
  // Version 1 reports a huge number if there is no limit.
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 60U;
  std::uint64_t lowest = kNoMemoryLimit;
  std::ifstream file(membership);
  for (std::string line; std::getline(file, line);) {
    const std::size_t controllers = line.find(':') + 1;
    const std::size_t group = line.find(':', controllers) + 1;
    if (controllers == 0 || group == 0) continue;
    const std::string names = "," + line.substr(controllers, group - controllers - 1) + ",";
    if (names == ",,") {
      lowest = std::min(lowest, lowest_group_limit(groups, line.substr(group), "memory.max"));
    } else if (names.find(",memory,") != std::string::npos) {
      lowest = std::min(lowest,
                        lowest_group_limit(groups / "memory", line.substr(group), "memory.limit_in_bytes"));
    }
  }
  return lowest < kHuge ? std::optional(lowest) : std::nullopt;
}

std::uint64_t usable_memory_bytes() {
  const std::uint64_t machine = memory_bytes();
  return std::min(machine, control_group_memory_bytes().value_or(machine));
}

}  // namespace kino
