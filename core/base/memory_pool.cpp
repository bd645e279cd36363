#include "core/base/memory_pool.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace kino {
namespace {

constexpr std::size_t kMinCachedBytes = std::size_t{1} << 20;  // for smaller blocks, fresh memory is as fast
constexpr std::size_t kHeadroom = 16;                          // adds 1/16: the next range may be longer

}  // namespace

MemoryPool::Block MemoryPool::take(std::size_t size_bytes) {
  {
    const std::lock_guard lock(mutex_);
    auto best = cached_.end();
    for (auto block = cached_.begin(); block != cached_.end(); ++block) {
      const bool fits = block->size_bytes() >= size_bytes && block->size_bytes() / 2 <= size_bytes;
      if (fits && (best == cached_.end() || block->size_bytes() < best->size_bytes())) best = block;
    }
    if (best != cached_.end()) {
      Block block{std::move(*best), false};
      cached_.erase(best);
      return block;
    }
  }
  return {HugeMemory(size_bytes + size_bytes / kHeadroom), true};
}

void MemoryPool::give(HugeMemory memory) {
  if (memory.size_bytes() < kMinCachedBytes || memory.size_bytes() > most_bytes_) return;
  std::vector<HugeMemory> dropped;  // unmapped after the lock is released
  const std::lock_guard lock(mutex_);
  try {
    dropped.reserve(cached_.size());
    cached_.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    return;  // unmaps the block
  }
  std::size_t sum = 0;
  std::size_t fit = 0;  // number of the newest blocks that fit into most_bytes_
  while (fit < cached_.size() && (sum += cached_[cached_.size() - fit - 1].size_bytes()) <= most_bytes_)
    ++fit;
  const auto first_cached = cached_.end() - static_cast<std::ptrdiff_t>(fit);
  std::move(cached_.begin(), first_cached, std::back_inserter(dropped));
  cached_.erase(cached_.begin(), first_cached);
}

std::size_t MemoryPool::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const HugeMemory& memory : cached_) sum += memory.size_bytes();
  return sum;
}

}  // namespace kino
