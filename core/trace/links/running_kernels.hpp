// The work that runs on a GPU at a point in time.
#pragma once

#include <cstdint>

#include "core/trace/trace.hpp"

namespace kino {

struct RunningKernels {
  SliceId first = kNoSlice;  ///< kernels before communication before copies; the longest on ties
  std::uint32_t more = 0;    ///< further work that runs at the same time
};

/// Considers the GPU work on the streams of `process`, which is a GPU. O(rows log slices).
RunningKernels running_kernels(const Trace& trace, std::uint32_t process, std::int64_t time_ns);

}  // namespace kino
