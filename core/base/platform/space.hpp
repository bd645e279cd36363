// How much room there is: on a disk, and in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace kino {

struct Space {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  ///< for a user without privileges
};

/// Of the file system that a folder or an open file lies on; nullopt when it cannot be asked. A file in
/// memory (new_memory_file()) has a total of 0.
std::optional<Space> disk_space(const std::filesystem::path& folder);
std::optional<Space> disk_space(int fd);

/// Of the machine: what all programs may take, and what is left to take without swapping. nullopt when it
/// does not tell.
std::optional<Space> memory_space();
/// Without asking what is left; 0 when it does not tell.
std::uint64_t memory_bytes();

}  // namespace kino
