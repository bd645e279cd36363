#include "core/base/platform/process_limits.hpp"

#include <algorithm>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

namespace kino {

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void limit_memory(std::uint64_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
#else
  static_cast<void>(bytes);
#endif
}

std::optional<std::uint64_t> memory_limit_bytes() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

// On Linux, PRIO_PROCESS 0 is the calling thread.
void lower_thread_priority(int nice) { ::setpriority(PRIO_PROCESS, 0, nice); }

void release_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void unmap_large_blocks_on_free() {
#ifdef __GLIBC__
  // Set a fixed threshold. By default, glibc raises the threshold to the size of freed blocks, up to 32 MiB.
  // A thread's arena then retains freed blocks that other threads could use. (For a file of 842,593 series,
  // memory is 19 times the file's size. Without the fixed threshold, it was 25 times in one run of four.)
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

int process_id() { return static_cast<int>(::getpid()); }

}  // namespace kino
