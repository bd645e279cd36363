#include "core/trace/lod_index.hpp"

#include <algorithm>
#include <cassert>

namespace kino {
namespace {

constexpr std::uint64_t ceil_div(std::uint64_t value, std::uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

/// Keeps the longest slice offered; the earlier one on ties.
struct Longest {
  std::span<const std::int64_t> duration_ns;
  std::uint32_t index;

  void offer(std::uint32_t other) {
    const std::int64_t mine = duration_ns[index];
    const std::int64_t theirs = duration_ns[other];
    if (theirs > mine || (theirs == mine && other < index)) index = other;
  }
};

/// Returns the sum of the durations [first, last). Wraps on overflow, so that differences of sums remain
/// correct.
std::uint64_t sum_of(std::span<const std::int64_t> duration_ns, std::uint64_t first, std::uint64_t last) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = first; i < last; ++i) sum += static_cast<std::uint64_t>(duration_ns[i]);
  return sum;
}

}  // namespace

std::uint64_t LodIndex::longest_size(std::uint64_t slice_count) {
  std::uint64_t total = 0;
  while (slice_count > kFanOut) {
    slice_count = ceil_div(slice_count, kFanOut);
    total += slice_count;
  }
  return total;
}

std::uint64_t LodIndex::busy_size(std::uint64_t slice_count) { return slice_count / kBusyStride + 1; }

void LodIndex::build_row(LodRow row, std::span<const std::int64_t> duration_ns) {
  const std::uint64_t count = duration_ns.size();
  assert(row.longest_offset + longest_size(count) <= longest.size());
  assert(row.busy_offset + busy_size(count) <= busy_prefix_ns.size());

  std::int64_t* prefix = busy_prefix_ns.data() + row.busy_offset;
  std::uint64_t busy = 0;
  for (std::uint64_t k = 0; k < count / kBusyStride; ++k) {
    prefix[k] = static_cast<std::int64_t>(busy);
    busy += sum_of(duration_ns, k * kBusyStride, (k + 1) * kBusyStride);
  }
  prefix[count / kBusyStride] = static_cast<std::int64_t>(busy);

  if (count <= kFanOut) return;
  std::uint32_t* level = longest.data() + row.longest_offset;
  std::uint64_t level_size = ceil_div(count, kFanOut);
  for (std::uint64_t block = 0; block < level_size; ++block) {
    const std::uint64_t first = block * kFanOut;
    const std::uint64_t last = std::min<std::uint64_t>(first + kFanOut, count);
    std::uint64_t best = first;
    std::int64_t best_ns = duration_ns[first];
    for (std::uint64_t i = first + 1; i < last; ++i) {
      const bool longer = duration_ns[i] > best_ns;
      best = longer ? i : best;
      best_ns = longer ? duration_ns[i] : best_ns;
    }
    level[block] = static_cast<std::uint32_t>(best);
  }
  while (level_size > kFanOut) {
    std::uint32_t* parent = level + level_size;
    const std::uint64_t parent_size = ceil_div(level_size, kFanOut);
    for (std::uint64_t block = 0; block < parent_size; ++block) {
      const std::uint64_t first = block * kFanOut;
      Longest best{duration_ns, level[first]};
      for (std::uint64_t i = first + 1; i < std::min<std::uint64_t>(first + kFanOut, level_size); ++i) {
        best.offer(level[i]);
      }
      parent[block] = best.index;
    }
    level = parent;
    level_size = parent_size;
  }
}

std::uint32_t LodIndex::longest_in(LodRow row, std::span<const std::int64_t> duration_ns, std::uint32_t first,
                                   std::uint32_t last) const {
  assert(first < last && last <= duration_ns.size());
  Longest best{duration_ns, first};
  // Level 0 consists of the slices themselves; above it, [begin, end) are entries of `level`.
  const std::uint32_t* level = nullptr;
  const std::uint32_t* next_level = longest.data() + row.longest_offset;
  std::uint64_t level_size = duration_ns.size();
  std::uint64_t begin = first;
  std::uint64_t end = last;
  const auto offer_all = [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
      best.offer(level == nullptr ? static_cast<std::uint32_t>(i) : level[i]);
    }
  };
  while (end - begin > std::uint64_t{2} * kFanOut && level_size > kFanOut) {
    const std::uint64_t inner_begin = ceil_div(begin, kFanOut) * kFanOut;
    // The last block of a level may be short. It counts as whole if the range reaches the end of the level.
    const std::uint64_t inner_end =
        end == level_size ? ceil_div(end, kFanOut) * kFanOut : end / kFanOut * kFanOut;
    offer_all(begin, inner_begin);
    if (inner_end < end) offer_all(inner_end, end);
    begin = inner_begin / kFanOut;
    end = inner_end / kFanOut;
    level_size = ceil_div(level_size, kFanOut);
    level = next_level;
    next_level += level_size;
  }
  offer_all(begin, end);
  return best.index;
}

std::int64_t LodIndex::busy_in(LodRow row, std::span<const std::int64_t> duration_ns, std::uint32_t first,
                               std::uint32_t last) const {
  if (first >= last) return 0;
  const std::uint64_t first_mark = ceil_div(first, kBusyStride);
  const std::uint64_t last_mark = last / kBusyStride;
  if (first_mark >= last_mark) return static_cast<std::int64_t>(sum_of(duration_ns, first, last));
  const std::int64_t* prefix = busy_prefix_ns.data() + row.busy_offset;
  const std::uint64_t whole =
      static_cast<std::uint64_t>(prefix[last_mark]) - static_cast<std::uint64_t>(prefix[first_mark]);
  return static_cast<std::int64_t>(whole + sum_of(duration_ns, first, first_mark * kBusyStride) +
                                   sum_of(duration_ns, last_mark * kBusyStride, last));
}

}  // namespace kino
