#include "core/base/memory_pool.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace kino {
namespace {

constexpr std::size_t kLeastKept = std::size_t{1} << 20;  // below this size the allocator is as fast
constexpr std::size_t kHeadroom = 16;                     // the next range may be a little longer

}  // namespace

MemoryPool::Block MemoryPool::take(std::size_t size_bytes) {
  {
    const std::lock_guard lock(mutex_);
    auto best = kept_.end();
    for (auto block = kept_.begin(); block != kept_.end(); ++block) {
      const bool fits = block->size_bytes() >= size_bytes && block->size_bytes() / 2 <= size_bytes;
      if (fits && (best == kept_.end() || block->size_bytes() < best->size_bytes())) best = block;
    }
    if (best != kept_.end()) {
      Block block{std::move(*best), false};
      kept_.erase(best);
      return block;
    }
  }
  return {HugeMemory(size_bytes + size_bytes / kHeadroom), true};
}

void MemoryPool::give(HugeMemory memory) {
  if (memory.size_bytes() < kLeastKept || memory.size_bytes() > most_bytes_) return;
  std::vector<HugeMemory> dropped;  // unmapped without the lock
  const std::lock_guard lock(mutex_);
  try {
    dropped.reserve(kept_.size());
    kept_.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    return;  // unmaps it
  }
  std::size_t sum = 0;
  std::size_t fit = 0;  // the newest blocks that fit into most_bytes_
  while (fit < kept_.size() && (sum += kept_[kept_.size() - fit - 1].size_bytes()) <= most_bytes_) ++fit;
  const auto first_kept = kept_.end() - static_cast<std::ptrdiff_t>(fit);
  std::move(kept_.begin(), first_kept, std::back_inserter(dropped));
  kept_.erase(kept_.begin(), first_kept);
}

std::size_t MemoryPool::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const HugeMemory& memory : kept_) sum += memory.size_bytes();
  return sum;
}

}  // namespace kino
