// Runs a counted loop on several threads; exceptions of the body are rethrown in the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace kino {

/// Number of loop steps between two checks of a stop token. In most loops, so many steps take well below a
/// millisecond.
inline constexpr std::uint32_t kCancelStride = 1U << 16;

/// Returns `threads`, or the number of hardware threads if it is 0.
inline unsigned thread_count_or_default(unsigned threads) {
  return threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

/// Calls `body(i, worker)` once for every i in [0, count), in any order, on up to `threads` threads including
/// the caller's. Starts no further calls once stop is requested or a body has thrown; rethrows the first
/// exception. Returns when all threads are done.
template <class Body>
void parallel_for(unsigned threads, std::size_t count, const std::stop_token& stop, Body&& body) {
  threads = static_cast<unsigned>(std::min<std::size_t>(std::max(1U, threads), count));
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr failure;  // guarded by mutex
  const auto work = [&](unsigned worker) {
    try {
      while (!failed.load(std::memory_order_relaxed) && !stop.stop_requested()) {
        const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
        if (i >= count) break;
        body(i, worker);
      }
    } catch (...) {
      failed = true;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned worker = 1; worker < threads; ++worker) helpers.emplace_back(work, worker);
    if (threads > 0) work(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kino
