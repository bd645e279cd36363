#include "core/memory/allocator/allocator_model.hpp"

#include <algorithm>

namespace kino {
namespace {

constexpr std::uint64_t kRangeBytes =
    std::uint64_t{1} << 41;  // address range of an expandable segment; larger than any device

std::int64_t end_of(std::int64_t addr, std::uint64_t bytes) {
  return addr + static_cast<std::int64_t>(bytes);
}

}  // namespace

std::optional<std::int64_t> SyntheticDevice::allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kStep = std::uint64_t{2} << 20;
  const auto room = static_cast<std::int64_t>((bytes + kStep - 1) / kStep * kStep);
  if (downwards_) return next_ -= room;
  next_ += room;
  return next_ - room;
}

std::optional<std::int64_t> SyntheticDevice::reserve() {
  return 3 * (std::int64_t{1} << 60) + next_range_++ * (std::int64_t{1} << 42);
}

PlaceId AllocatorModel::add_place(std::uint32_t pool, std::uint64_t stream_order, bool may_expand,
                                  bool is_default) {
  const auto place = static_cast<PlaceId>(lists_.size() / 2);
  for (const bool small : {false, true})
    lists_.push_back({pool, stream_order, small, may_expand, is_default, {}, {}});
  return place;
}

std::uint32_t AllocatorModel::new_block(const Block& block) {
  if (unused_.empty()) {
    blocks_.push_back(block);
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  blocks_[number] = block;
  return number;
}

void AllocatorModel::insert_free(std::uint32_t block) {
  Block& node = blocks_[block];
  node.requested_base = asked_;
  lists_[node.list].free.insert({node.size, node.addr, block});
}

void AllocatorModel::erase_free(std::uint32_t block) {
  const Block& node = blocks_[block];
  lists_[node.list].free.erase({node.size, node.addr, block});
}

void AllocatorModel::link_after(std::uint32_t block, std::uint32_t before) {
  blocks_[block].previous = before;
  blocks_[block].next = blocks_[before].next;
  if (blocks_[before].next != kNoBlock) blocks_[blocks_[before].next].previous = block;
  blocks_[before].next = block;
}

bool AllocatorModel::can_take(std::uint32_t block) const {
  return block != kNoBlock && !blocks_[block].used && !blocks_[block].pending;
}

/// Merges the neighbor `from` into a block that is in no list, if `from` is free and both are mapped or both
/// are unmapped.
void AllocatorModel::merge(std::uint32_t into, std::uint32_t from) {
  if (!can_take(from) || blocks_[into].mapped != blocks_[from].mapped) return;
  Block& a = blocks_[into];
  const Block& b = blocks_[from];
  if (b.mapped) {
    erase_free(from);
  } else {
    lists_[b.list].unmapped.erase(b.addr);
  }
  if (a.previous == from) {
    a.addr = b.addr;
    a.previous = b.previous;
    if (a.previous != kNoBlock) blocks_[a.previous].next = into;
  } else {
    a.next = b.next;
    if (a.next != kNoBlock) blocks_[a.next].previous = into;
  }
  a.size += b.size;
  recycle(from);
}

/// Returns the size to which a block of an expandable segment can grow.
std::uint64_t AllocatorModel::reach_of(std::uint32_t block) const {
  const Block& node = blocks_[block];
  return node.size + (node.next != kNoBlock && !blocks_[node.next].mapped ? blocks_[node.next].size : 0);
}

std::uint32_t AllocatorModel::find_free(List& list, std::uint64_t size, bool expand) {
  if (rules_.garbage_threshold > 0 && !list.small && list.is_default) ++asked_;
  const FreeBlocks& free = list.free;
  FreeBlocks::Place place = free.first_of(size);
  if (place == free.end()) return kNoBlock;
  if (blocks_[free.at(place).block].expandable) {
    if (expand) {
      for (FreeBlocks::Place next = free.next(place);
           blocks_[free.at(place).block].expandable && next != free.end() &&
           reach_of(free.at(next).block) < reach_of(free.at(place).block);
           next = free.next(next))
        place = next;
    } else {
      while (place != free.end() && blocks_[free.at(place).block].expandable) place = free.next(place);
      if (place == free.end()) return kNoBlock;
    }
  }
  const FreeBlock& found = free.at(place);
  if (size < rules_.max_split && found.size >= rules_.max_split) return kNoBlock;
  if (size >= rules_.max_split && found.size >= size + rules_.max_non_split_rounding) return kNoBlock;
  const std::uint32_t block = found.block;
  erase_free(block);
  return block;
}

std::uint32_t AllocatorModel::new_segment(std::uint32_t list_number, std::uint64_t size, bool expands) {
  const std::uint64_t segment = rules_.segment_for(size);
  if (rules_.limit != kUnlimitedBytes && reserved_ + segment > rules_.limit) return kNoBlock;
  if (expands) return expand(list_number, size);
  if (!fits(segment)) return kNoBlock;
  const auto addr = device_.allocate(segment);
  if (!addr) return kNoBlock;
  ++counts_.device_calls;
  reserved_ += segment;
  Block block;
  block.addr = *addr;
  block.size = segment;
  block.list = list_number;
  return new_block(block);
}

std::uint32_t AllocatorModel::expandable_candidate(std::uint32_t list_number, std::uint64_t size) {
  const auto has_room = [&](std::uint32_t block) {
    std::uint64_t bytes = 0;
    while (bytes < size && can_take(block)) {
      bytes += blocks_[block].size;
      block = blocks_[block].next;
    }
    return bytes >= size;
  };
  for (const auto& [addr, number] : lists_[list_number].unmapped) {
    std::uint32_t block = number;
    if (can_take(blocks_[block].previous)) block = blocks_[block].previous;
    if (has_room(block)) return block;
  }
  const auto base = device_.reserve();
  if (!base) return kNoBlock;
  Block range;
  range.addr = range.base = *base;
  range.size = kRangeBytes;
  range.list = list_number;
  range.mapped = false;
  range.expandable = true;
  const std::uint32_t made = new_block(range);
  lists_[list_number].unmapped.emplace(range.addr, made);
  return made;
}

std::uint32_t AllocatorModel::expand(std::uint32_t list_number, std::uint64_t size) {
  std::uint32_t block = expandable_candidate(list_number, size);
  if (block == kNoBlock) return kNoBlock;
  if (!blocks_[block].mapped && !map(block, std::min(blocks_[block].size, size))) return kNoBlock;
  while (blocks_[block].size < size) {
    const std::uint32_t next = blocks_[block].next;
    if (!map(next, std::min(size - blocks_[block].size, blocks_[next].size))) return kNoBlock;
    block = next;  // the previous block was merged into this block
  }
  erase_free(block);
  return block;
}

bool AllocatorModel::map(std::uint32_t block, std::uint64_t size) {
  const std::uint64_t granule = rules_.granule(lists_[blocks_[block].list].small);
  size = std::min((size + granule - 1) / granule * granule, blocks_[block].size);
  if (!fits(size) || !device_.map(blocks_[block].addr, size)) return false;
  ++counts_.device_calls;
  reserved_ += size;
  lists_[blocks_[block].list].unmapped.erase(blocks_[block].addr);
  blocks_[block].mapped = true;
  if (size < blocks_[block].size) {
    Block rest = blocks_[block];
    rest.addr = end_of(rest.addr, size);
    rest.size -= size;
    rest.mapped = false;
    const std::uint32_t made = new_block(rest);
    link_after(made, block);
    lists_[rest.list].unmapped.emplace(rest.addr, made);
    blocks_[block].size = size;
  }
  merge(block, blocks_[block].previous);
  merge(block, blocks_[block].next);
  insert_free(block);
  return true;
}

void AllocatorModel::unmap(std::uint32_t block) {
  const auto granule = static_cast<std::int64_t>(rules_.granule(lists_[blocks_[block].list].small));
  const std::int64_t base = blocks_[block].base;
  const std::int64_t end = end_of(blocks_[block].addr, blocks_[block].size);
  const std::int64_t from = base + (blocks_[block].addr - base + granule - 1) / granule * granule;
  const std::int64_t to = base + (end - base) / granule * granule;
  if (to <= from) return;
  erase_free(block);
  const auto before = static_cast<std::uint64_t>(from - blocks_[block].addr);
  const auto after = static_cast<std::uint64_t>(end - to);
  if (before > 0) {
    Block rest = blocks_[block];
    rest.size = before;
    const std::uint32_t made = new_block(rest);
    blocks_[made].next = block;
    if (rest.previous != kNoBlock) blocks_[rest.previous].next = made;
    blocks_[block].previous = made;
    insert_free(made);
  }
  if (after > 0) {
    Block rest = blocks_[block];
    rest.addr = to;
    rest.size = after;
    const std::uint32_t made = new_block(rest);
    link_after(made, block);
    insert_free(made);
  }
  Block& node = blocks_[block];
  node.addr = from;
  node.size = static_cast<std::uint64_t>(to - from);
  node.mapped = false;
  reserved_ -= node.size;
  ++counts_.returned_to_device;
  device_.unmap(node.addr, node.size);
  merge(block, node.previous);
  merge(block, blocks_[block].next);
  lists_[blocks_[block].list].unmapped.emplace(blocks_[block].addr, block);
}

/// On Ascend, large blocks in expandable segments begin at multiples of 16 KiB. Splits off the start of such
/// a block if necessary, and returns the aligned rest; returns `block` if the rest would be too small.
std::uint32_t AllocatorModel::aligned(std::uint32_t block, std::uint64_t size) {
  constexpr std::uint64_t kLeastAligned = std::uint64_t{2} << 20;
  if (rules_.alignment == 0 || size < kLeastAligned) return block;
  const auto alignment = static_cast<std::int64_t>(rules_.alignment);
  const std::int64_t over = ((blocks_[block].addr % alignment) + alignment) % alignment;
  if (over == 0) return block;
  const auto front = static_cast<std::uint64_t>(alignment - over);
  if (blocks_[block].size < front + size) return block;
  Block rest = blocks_[block];
  rest.addr = end_of(rest.addr, front);
  rest.size -= front;
  const std::uint32_t made = new_block(rest);
  link_after(made, block);
  blocks_[block].size = front;
  insert_free(block);
  return made;
}

/// Splits a block: if the rules permit it, the part that the request does not need becomes a free block.
void AllocatorModel::split(std::uint32_t block, std::uint64_t size, bool expands) {
  const std::uint64_t rest_bytes = blocks_[block].size - size;
  const bool small = lists_[blocks_[block].list].small;
  const bool cuts = small || expands ? rest_bytes >= AllocatorRules::kLeastBlock
                                     : size < rules_.max_split && rest_bytes > AllocatorRules::kSmall;
  if (!cuts) return;
  Block rest = blocks_[block];
  rest.addr = end_of(rest.addr, size);
  rest.size = rest_bytes;
  const std::uint32_t made = new_block(rest);
  link_after(made, block);
  blocks_[block].size = size;
  insert_free(made);
}

std::uint32_t AllocatorModel::allocate(PlaceId place, std::uint64_t requested) {
  const std::uint64_t size = rules_.rounded(requested);
  const std::uint32_t number = place * 2 + (AllocatorRules::is_small(size) ? 1U : 0U);
  const bool expands = rules_.expandable && lists_[number].may_expand;
  std::uint32_t block = find_free(lists_[number], size, expands);
  if (block == kNoBlock) {
    if (rules_.limit != kUnlimitedBytes && rules_.garbage_threshold > 0) collect_garbage();
    block = new_segment(number, size, expands);
    if (block == kNoBlock && release_available(lists_[number], size))
      block = new_segment(number, size, expands);
    if (block == kNoBlock) {
      ++counts_.retries;
      release_cached();
      block = new_segment(number, size, expands);
    }
    if (block == kNoBlock) return kNoBlock;
  }
  if (expands) block = aligned(block, size);
  split(block, size, expands);
  blocks_[block].used = true;
  active_ += blocks_[block].size;
  return block;
}

void AllocatorModel::request_free(std::uint32_t block) {
  blocks_[block].pending = true;
  pending_.push_back(block);
}

void AllocatorModel::complete(std::uint32_t block) {
  if (!blocks_[block].used) return;
  if (blocks_[block].pending) std::erase(pending_, block);
  blocks_[block].used = false;
  blocks_[block].pending = false;
  active_ -= blocks_[block].size;
  merge(block, blocks_[block].previous);
  merge(block, blocks_[block].next);
  insert_free(block);
}

void AllocatorModel::release_segment(std::uint32_t block) {
  erase_free(block);
  reserved_ -= blocks_[block].size;
  ++counts_.returned_to_device;
  device_.free(blocks_[block].addr, blocks_[block].size);
  recycle(block);
}

void AllocatorModel::release_cached() {
  for (const std::uint32_t block : std::vector<std::uint32_t>(pending_)) complete(block);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < lists_.size(); ++i)
    if (lists_[i].is_default) order.push_back(i);
  std::ranges::stable_sort(
      order, {}, [&](std::uint32_t i) { return std::pair(lists_[i].small, lists_[i].stream_order); });
  // Release the segments of a pool before its expandable blocks are unmapped.
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    std::vector<std::uint32_t> to_free;
    std::vector<std::uint32_t> to_unmap;
    for (; last < order.size() && lists_[order[last]].small == lists_[order[first]].small; ++last) {
      lists_[order[last]].free.visit([&](const FreeBlock& free) {
        const Block& block = blocks_[free.block];
        if (block.expandable) {
          to_unmap.push_back(free.block);
        } else if (block.is_whole_segment()) {
          to_free.push_back(free.block);
        }
      });
    }
    for (const std::uint32_t block : to_free) release_segment(block);
    for (const std::uint32_t block : to_unmap) {
      unmap(block);
      const Block& node = blocks_[block];
      if (node.mapped || node.previous != kNoBlock || node.next != kNoBlock) continue;
      lists_[node.list].unmapped.erase(node.addr);  // the whole range is unused
      recycle(block);
    }
    first = last;
  }
}

bool AllocatorModel::release_available(List& list, std::uint64_t size) {
  if (rules_.max_split == kUnlimitedBytes) return false;
  const std::uint64_t key = std::max(size, rules_.max_split);
  const auto whole = [&](const FreeBlock& free) { return blocks_[free.block].is_whole_segment(); };
  FreeBlocks::Place place = list.free.first_of(key);
  while (place != list.free.end() && !whole(list.free.at(place))) place = list.free.next(place);
  if (place != list.free.end()) {
    release_segment(list.free.at(place).block);
    return true;
  }
  std::vector<std::uint32_t> largest;
  std::uint64_t released = 0;
  for (place = list.free.end(); place != list.free.begin() && released < key;) {
    place = list.free.previous(place);
    const FreeBlock& free = list.free.at(place);
    if (free.size < rules_.max_split) break;
    if (!whole(free)) continue;
    released += free.size;
    largest.push_back(free.block);
  }
  for (const std::uint32_t block : largest) release_segment(block);
  return released >= key;
}

void AllocatorModel::collect_garbage() {
  const auto threshold =
      static_cast<std::uint64_t>(rules_.garbage_threshold * static_cast<double>(rules_.limit));
  if (reserved_ <= threshold) return;
  const std::uint64_t wanted = reserved_ - threshold;
  std::uint64_t freed = 0;
  double ages = 0;
  std::size_t count = 0;
  const auto age = [&](std::uint32_t block) {
    return static_cast<double>(asked_ - blocks_[block].requested_base);
  };
  const auto candidates = [&] {
    std::vector<std::uint32_t> found;
    for (const List& list : lists_) {
      if (list.small || !list.is_default) continue;
      list.free.visit([&](const FreeBlock& free) {
        if (blocks_[free.block].is_whole_segment()) found.push_back(free.block);
      });
    }
    return found;
  };
  for (const std::uint32_t block : candidates()) {
    ages += age(block);
    ++count;
  }
  for (bool any = true; any && count > 0 && freed < wanted;) {
    const double mean = ages / static_cast<double>(count);
    any = false;
    for (const std::uint32_t block : candidates()) {
      if (age(block) < mean) continue;
      any = true;
      ages -= age(block);
      --count;
      freed += blocks_[block].size;
      ++counts_.garbage_collected;
      release_segment(block);
    }
  }
}

std::uint32_t AllocatorModel::give_segment(PlaceId place, bool small, bool expandable,
                                           const std::vector<Given>& given) {
  const std::uint32_t number = place * 2 + (small ? 1U : 0U);
  std::uint32_t before = kNoBlock;
  std::uint32_t first = kNoBlock;
  for (const Given& part : given) {
    Block block;
    block.addr = part.addr;
    block.size = part.size;
    block.base = given.front().addr;
    block.list = number;
    block.used = part.in_use;
    block.mapped = part.mapped;
    block.expandable = expandable;
    blocks_.push_back(block);
    const auto made = static_cast<std::uint32_t>(blocks_.size() - 1);
    if (first == kNoBlock) first = made;
    if (before != kNoBlock) link_after(made, before);
    before = made;
    if (part.mapped) reserved_ += part.size;
    if (part.in_use) {
      active_ += part.size;
    } else if (part.mapped) {
      insert_free(made);
    } else {
      lists_[number].unmapped.emplace(part.addr, made);
    }
  }
  return first;
}

bool AllocatorModel::map_at_address(std::int64_t addr, std::uint64_t bytes) {
  for (List& list : lists_) {
    const auto found = list.unmapped.find(addr);
    if (found != list.unmapped.end()) return map(found->second, bytes);
  }
  return false;
}

bool AllocatorModel::release_at_address(std::int64_t addr) {
  std::uint32_t found = kNoBlock;
  for (const List& list : lists_) {
    list.free.visit([&](const FreeBlock& free) {
      const Block& block = blocks_[free.block];
      if (block.addr == addr && block.is_whole_segment()) found = free.block;
    });
  }
  if (found == kNoBlock) return false;
  release_segment(found);
  return true;
}

FreeMemorySums AllocatorModel::free_sums() const {
  FreeMemorySums sums;
  for (const List& list : lists_) {
    const auto granule = static_cast<std::int64_t>(rules_.granule(list.small));
    list.free.visit([&](const FreeBlock& free) {
      const Block& block = blocks_[free.block];
      sums.free += block.size;
      sums.largest = std::max(sums.largest, block.size);
      if (!block.expandable) {
        if (block.is_whole_segment()) sums.releasable += block.size;
        return;
      }
      const std::int64_t from = (block.addr - block.base + granule - 1) / granule;
      const std::int64_t to = (end_of(block.addr, block.size) - block.base) / granule;
      if (to > from) sums.releasable += static_cast<std::uint64_t>((to - from) * granule);
    });
  }
  return sums;
}

}  // namespace kino
