// Free and total space of disks and memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace kino {

struct Space {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  ///< bytes that a user without privileges can allocate
};

/// Returns the space of the file system of a folder or open file; nullopt if unknown. A file in memory
/// (new_memory_file()) has a total of 0.
std::optional<Space> disk_space(const std::filesystem::path& folder);
std::optional<Space> disk_space(int fd);

/// Returns the total memory of the machine, and the memory available without swapping. nullopt if unknown.
std::optional<Space> memory_space();
/// Returns the total memory of the machine; 0 if unknown.
std::uint64_t memory_bytes();

/// Returns the lowest memory limit of the control groups of this process, such as those of a container or a
/// batch job; nullopt if there is none. `membership` and `groups` are the files of the kernel, except in tests.
std::optional<std::uint64_t> control_group_memory_bytes(
    const std::filesystem::path& membership = "/proc/self/cgroup",
    const std::filesystem::path& groups = "/sys/fs/cgroup");
/// Returns the total memory that this process can use: that of the machine or of its control groups, whichever
/// is lower. 0 if unknown.
std::uint64_t usable_memory_bytes();

}  // namespace kino
