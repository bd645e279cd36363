// Free blocks sorted by size and address, for the allocator's best-fit search.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kino {

struct FreeBlock {
  std::uint64_t size = 0;
  std::int64_t addr = 0;
  std::uint32_t block = 0;
  friend bool operator==(const FreeBlock& a, const FreeBlock& b) {
    return a.size == b.size && a.addr == b.addr;
  }
  friend std::strong_ordering operator<=>(const FreeBlock& a, const FreeBlock& b) {
    if (const auto order = a.size <=> b.size; std::is_neq(order)) return order;
    return a.addr <=> b.addr;
  }
};

/// A sorted list that is split into parts of at most 256 blocks. Insert, erase and find are O(log n + 256),
/// plus O(n / 256) if a part is added or removed.
class FreeBlocks {
 public:
  /// Position of a block, or end(). Insert and erase invalidate all positions.
  struct Place {
    std::size_t part = 0;
    std::size_t index = 0;
    bool operator==(const Place&) const = default;
  };

  void insert(const FreeBlock& block);
  /// Removes a block, if it exists.
  void erase(const FreeBlock& block);
  bool empty() const { return parts_.empty(); }
  Place begin() const { return {}; }
  Place end() const { return {parts_.size(), 0}; }
  const FreeBlock& at(Place place) const { return parts_[place.part][place.index]; }
  Place next(Place place) const;
  Place previous(Place place) const;
  /// Returns the position of the first block of at least this size, or end().
  Place first_of(std::uint64_t size) const;
  /// Visits all blocks in ascending order.
  template <class Visit>
  void visit(const Visit& visit_block) const {
    for (const auto& part : parts_)
      for (const FreeBlock& block : part) visit_block(block);
  }

 private:
  std::size_t part_of(const FreeBlock& block) const;

  static constexpr std::size_t kMostInPart = 256;
  std::vector<std::vector<FreeBlock>> parts_;  // none is empty
};

}  // namespace kino
