// Compute on the same GPU during one piece of GPU work, by kernel.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// Kernels of one name during a slice.
struct CoveringKernel {
  NameId name{};
  std::int64_t overlap_ns = 0;  ///< time of the slice during which at least one of these kernels runs
  std::uint64_t count = 0;
  SliceId longest = kNoSlice;  ///< kernel with the longest overlap
};

struct GpuCover {
  std::int64_t length_ns = 0;           ///< length of the slice
  std::int64_t covered_ns = 0;          ///< part of the slice during which at least one kernel runs
  std::vector<CoveringKernel> by_name;  ///< most overlap first; kernels of different names may overlap
};

/// Returns the compute kernels that run during a slice on its GPU, on any stream, excluding the slice itself.
/// The covered part of communication and copies is hidden; the rest is exposed. Empty if the slice is not GPU
/// work. O(rows of the GPU * log slices + kernels during the slice).
GpuCover compute_during(const Trace& trace, SliceId slice, const std::stop_token& stop = {});

}  // namespace kino
