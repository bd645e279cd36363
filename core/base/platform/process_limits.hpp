// Memory and processor share of this process.
#pragma once

#include <cstdint>

namespace kino {

/// The process id.
int process_id();
/// The peak resident memory.
std::uint64_t peak_memory_bytes();

/// Raises the nice value of the calling thread. A thread with kMostNice only gets idle processor time.
inline constexpr int kMostNice = 19;
void lower_thread_priority(int nice);

/// Returns freed memory that malloc() retains to the system (glibc only).
void release_freed_memory();
/// Makes free() return blocks of 1 MiB and more to the system at once (glibc only). Call it at program start.
void unmap_large_blocks_on_free();

}  // namespace kino
