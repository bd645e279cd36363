// The settings by which PyTorch's caching allocator decides, and its rules for sizes.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

inline constexpr std::uint64_t kUnlimitedBytes = std::numeric_limits<std::uint64_t>::max();

/// As CUDACachingAllocator.cpp and AllocatorConfig.cpp of PyTorch (early 2024 to late 2025) have them;
/// Ascend's NPUCachingAllocator.cpp differs by padding and alignment.
struct AllocatorRules {
  static constexpr std::uint64_t kLeastBlock = 512;
  static constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;        ///< rounded; above, the large pool
  static constexpr std::uint64_t kSmallBuffer = std::uint64_t{2} << 20;  ///< a segment of the small pool
  static constexpr std::uint64_t kLeastLarge = std::uint64_t{10} << 20;  ///< from here a segment of its own
  static constexpr std::uint64_t kRoundLarge = std::uint64_t{2} << 20;

  bool expandable = false;
  std::uint64_t max_split = kUnlimitedBytes;
  std::uint64_t large_segment = std::uint64_t{20} << 20;  ///< also what large expandable segments grow by
  std::uint64_t max_non_split_rounding = std::uint64_t{20} << 20;
  std::array<std::uint32_t, 16> divisions{};  ///< of requests from 1, 2, 4 ... 32768 MiB
  double garbage_threshold = 0;               ///< of `limit`
  std::uint64_t limit = kUnlimitedBytes;      ///< of set_per_process_memory_fraction; the threshold is of it
  std::uint64_t capacity = kUnlimitedBytes;   ///< what the device gives
  std::uint64_t padding = 0;                  ///< added to each request
  std::uint64_t alignment = 0;                ///< of large blocks of expandable segments; 0: none

  bool operator==(const AllocatorRules&) const = default;

  /// The size of the block for a request.
  std::uint64_t rounded(std::uint64_t bytes) const;
  /// Of the segment that is asked of the device for a rounded size.
  std::uint64_t segment_for(std::uint64_t rounded_bytes) const;
  std::uint64_t granule(bool small) const { return small ? kSmallBuffer : large_segment; }
  static bool is_small(std::uint64_t rounded_bytes) { return rounded_bytes <= kSmall; }
};

/// `rules` with what a text in the manner of PYTORCH_CUDA_ALLOC_CONF sets:
/// "expandable_segments:True,max_split_size_mb:128"; also with = between key and value. Keys are those of
/// PyTorch that move blocks, capacity_mb, and limit_mb for set_per_process_memory_fraction(). Fails with one
/// sentence about what it cannot heed.
Result<AllocatorRules> rules_with(AllocatorRules rules, std::string_view conf);

/// Whether a setting's effect was never seen in a recording: known from the allocator's source only.
bool is_by_source(const AllocatorRules& rules);

}  // namespace kino
