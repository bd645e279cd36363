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
  std::int64_t overlap_ns = 0;  ///< time of the slice covered by at least one of them
  std::uint64_t count = 0;
  SliceId longest = kNoSlice;  ///< the one with the longest overlap
};

struct GpuCover {
  std::int64_t length_ns = 0;           ///< length of the slice
  std::int64_t covered_ns = 0;          ///< part of it covered by at least one kernel
  std::vector<CoveringKernel> by_name;  ///< most overlap first; kernels of different names may overlap
};

/// Compute kernels on the GPU of a slice during it, on any stream, without the slice itself. For
/// communication and copies this is the hidden part; the rest is exposed. Empty if the slice is not GPU work.
/// O(rows of the GPU * log slices + kernels within it).
GpuCover compute_during(const Trace& trace, SliceId slice, const std::stop_token& stop = {});

}  // namespace kino
