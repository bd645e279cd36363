// Settings of PyTorch's caching allocator, and its size rules.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

inline constexpr std::uint64_t kUnlimitedBytes = std::numeric_limits<std::uint64_t>::max();

/// Rules of CUDACachingAllocator.cpp and AllocatorConfig.cpp of PyTorch (early 2024 to late 2025).
/// NPUCachingAllocator.cpp of Ascend differs in padding and alignment.
struct AllocatorRules {
  static constexpr std::uint64_t kLeastBlock = 512;
  static constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;  ///< largest rounded size in the small pool
  static constexpr std::uint64_t kSmallBuffer = std::uint64_t{2} << 20;  ///< segment size of the small pool
  /// From this rounded size on, a new segment is as large as the request, rounded up to kRoundLarge.
  static constexpr std::uint64_t kLeastLarge = std::uint64_t{10} << 20;
  static constexpr std::uint64_t kRoundLarge = std::uint64_t{2} << 20;

  bool expandable = false;
  std::uint64_t max_split = kUnlimitedBytes;
  /// Segment size for rounded sizes above `kSmall` and below `kLeastLarge`. Expandable segments of the large
  /// pool grow in multiples of it.
  std::uint64_t large_segment = std::uint64_t{20} << 20;
  std::uint64_t max_non_split_rounding = std::uint64_t{20} << 20;
  std::array<std::uint32_t, 16> divisions{};  ///< for sizes below 2 MiB, and from 2, 4 ... 32768 MiB on
  double garbage_threshold = 0;               ///< share of `limit` at which garbage collection starts
  std::uint64_t limit = kUnlimitedBytes;      ///< limit by set_per_process_memory_fraction
  std::uint64_t capacity = kUnlimitedBytes;   ///< memory of the device
  std::uint64_t padding = 0;                  ///< added to each request
  std::uint64_t alignment = 0;                ///< alignment of large blocks in expandable segments; 0: none

  bool operator==(const AllocatorRules&) const = default;

  /// Returns the block size for a request.
  std::uint64_t rounded(std::uint64_t bytes) const;
  /// Returns the segment size to request from the device for a rounded size.
  std::uint64_t segment_for(std::uint64_t rounded_bytes) const;
  std::uint64_t granule(bool small) const { return small ? kSmallBuffer : large_segment; }
  static bool is_small(std::uint64_t rounded_bytes) { return rounded_bytes <= kSmall; }
};

/// Returns `rules` with the options of `conf`, which has the form of PYTORCH_CUDA_ALLOC_CONF:
/// "expandable_segments:True,max_split_size_mb:128". "=" may replace ":" between key and value. Supported are
/// PyTorch's keys that affect blocks, capacity_mb, and limit_mb for set_per_process_memory_fraction().
/// PyTorch's keys that do not affect blocks are ignored. Fails for other keys and for invalid values.
Result<AllocatorRules> rules_with(AllocatorRules rules, std::string_view conf);

/// Returns whether some setting has an effect that is known only from the allocator's source, not from
/// recordings.
bool is_by_source(const AllocatorRules& rules);

}  // namespace kino
