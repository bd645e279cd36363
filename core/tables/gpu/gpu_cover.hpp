// How much of one piece of GPU work runs while the same GPU computes, and which kernels those are.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// The kernels of one name within a slice.
struct CoveringKernel {
  NameId name{};
  std::int64_t overlap_ns = 0;  ///< of the slice's time, how much at least one of them covers
  std::uint64_t count = 0;
  SliceId longest = kNoSlice;  ///< the one that covers most of it
};

struct GpuCover {
  std::int64_t length_ns = 0;           ///< of the slice
  std::int64_t covered_ns = 0;          ///< of it, how much at least one kernel covers
  std::vector<CoveringKernel> by_name;  ///< most overlap first; kernels of several names overlap, too
};

/// The kernels that compute on the GPU of a slice, in any stream, while it runs, itself left out. For
/// communication and copies that is what hides them: the rest is exposed. Nothing for what is no GPU work,
/// and when stopped. O(rows of the GPU * log slices + kernels within it).
GpuCover compute_during(const Trace& trace, SliceId slice, const std::stop_token& stop = {});

}  // namespace kino
