// Pool for large arrays that are created often, for example for each time range while the user drags. Reusing
// memory avoids zeroing fresh pages, which takes as long as filling them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/huge_memory.hpp"

namespace kino {

/// Retains blocks for reuse. Thread-safe.
class MemoryPool {
 public:
  /// Retains at most `most_bytes` of unused memory.
  explicit MemoryPool(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  struct Block {
    HugeMemory memory;
    bool zero = false;  ///< whether the memory is fresh; otherwise it contains data of an earlier block
  };
  /// Returns a block of at least `size_bytes`. Throws std::bad_alloc.
  Block take(std::size_t size_bytes);
  /// Returns a block to the pool. If the pool is full, the oldest blocks are unmapped. A block below 1 MiB,
  /// or larger than the pool, is unmapped at once.
  void give(HugeMemory memory);

  std::size_t kept_bytes() const;

 private:
  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::vector<HugeMemory> cached_;  // guarded by mutex_; the newest last
};

/// A fixed-size array of plain values, not initialized, whose memory comes from a pool and returns to it.
template <class T>
class PooledColumn {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PooledColumn() = default;
  /// Uses fresh memory if there is no pool.
  PooledColumn(std::shared_ptr<MemoryPool> pool, std::size_t size) : pool_(std::move(pool)), size_(size) {
    if (size > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
    block_ = pool_ != nullptr ? pool_->take(size * sizeof(T))
                              : MemoryPool::Block{HugeMemory(size * sizeof(T)), true};
  }
  PooledColumn(PooledColumn&& other) noexcept { swap(other); }
  PooledColumn& operator=(PooledColumn&& other) noexcept {
    swap(other);
    return *this;
  }
  PooledColumn(const PooledColumn&) = delete;
  PooledColumn& operator=(const PooledColumn&) = delete;
  ~PooledColumn() {
    if (pool_ != nullptr) pool_->give(std::move(block_.memory));
  }

  /// Whether the memory is fresh, so that all elements are zero until they are written.
  bool zero() const { return block_.zero; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return static_cast<T*>(block_.memory.data())[i]; }
  const T& operator[](std::size_t i) const { return static_cast<const T*>(block_.memory.data())[i]; }
  std::span<T> span() { return {static_cast<T*>(block_.memory.data()), size_}; }
  std::span<const T> span() const { return {static_cast<const T*>(block_.memory.data()), size_}; }
  const T* begin() const { return span().data(); }
  const T* end() const { return span().data() + size_; }

 private:
  void swap(PooledColumn& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(block_, other.block_);
    std::swap(size_, other.size_);
  }

  std::shared_ptr<MemoryPool> pool_;
  MemoryPool::Block block_;
  std::size_t size_ = 0;
};

}  // namespace kino
