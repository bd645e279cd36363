#include "core/memory/allocator/free_blocks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kino {

/// Returns the first part whose last block is not less than `block`, or the number of parts.
std::size_t FreeBlocks::part_of(const FreeBlock& block) const {
  const auto found =
      std::ranges::lower_bound(parts_, block, {}, [](const auto& part) { return part.back(); });
  return static_cast<std::size_t>(found - parts_.begin());
}

void FreeBlocks::insert(const FreeBlock& block) {
  if (parts_.empty()) {
    parts_.push_back({block});
    return;
  }
  const std::size_t number = std::min(part_of(block), parts_.size() - 1);
  std::vector<FreeBlock>& part = parts_[number];
  part.insert(std::ranges::lower_bound(part, block), block);
  if (part.size() <= kMostInPart) return;
  const auto half = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
  std::vector<FreeBlock> upper(half, part.end());
  part.erase(half, part.end());
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(number) + 1, std::move(upper));
}

void FreeBlocks::erase(const FreeBlock& block) {
  const std::size_t number = part_of(block);
  if (number == parts_.size()) return;
  std::vector<FreeBlock>& part = parts_[number];
  const auto found = std::ranges::lower_bound(part, block);
  if (found == part.end() || *found != block) return;
  part.erase(found);
  if (part.empty()) parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(number));
}

FreeBlocks::Place FreeBlocks::next(Place place) const {
  if (++place.index < parts_[place.part].size()) return place;
  return {place.part + 1, 0};
}

FreeBlocks::Place FreeBlocks::previous(Place place) const {
  if (place.index > 0) return {place.part, place.index - 1};
  return {place.part - 1, parts_[place.part - 1].size() - 1};
}

FreeBlocks::Place FreeBlocks::first_of(std::uint64_t size) const {
  const FreeBlock key{size, std::numeric_limits<std::int64_t>::min(), 0};
  const std::size_t number = part_of(key);
  if (number == parts_.size()) return end();
  const auto& part = parts_[number];
  return {number, static_cast<std::size_t>(std::ranges::lower_bound(part, key) - part.begin())};
}

}  // namespace kino
