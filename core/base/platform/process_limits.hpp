// Id, memory use, memory limit and thread priority of this process.
#pragma once

#include <cstdint>
#include <optional>

namespace kino {

/// The process id.
int process_id();
/// The peak resident memory.
std::uint64_t peak_memory_bytes();

/// Limits the private memory of this process (RLIMIT_DATA). Mapped files do not count. Allocations beyond the
/// limit throw std::bad_alloc. Does nothing in builds with a sanitizer, whose own memory would count.
void limit_memory(std::uint64_t bytes);
/// Returns the limit of the private memory; nullopt if there is none.
std::optional<std::uint64_t> memory_limit_bytes();

/// Largest nice value. A thread with this value gets little processor time while other threads are busy.
inline constexpr int kMostNice = 19;
/// Sets the nice value of the calling thread.
void lower_thread_priority(int nice);

/// Returns to the system the freed memory that malloc() retains (glibc only).
void release_freed_memory();
/// Makes free() return blocks of 1 MiB and more to the system at once (glibc only). Call it at program start.
void unmap_large_blocks_on_free();

}  // namespace kino
