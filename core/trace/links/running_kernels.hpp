// The work that runs on a GPU at a point in time.
#pragma once

#include <cstdint>

#include "core/trace/trace.hpp"

namespace kino {

struct RunningKernels {
  SliceId first = kNoSlice;  ///< compute before communication before copies; the longest on ties
  std::uint32_t more = 0;    ///< number of further work items that run at the same time
};

/// Returns the work at `time_ns` on the streams of `process`, which must be a GPU. O(rows log slices).
RunningKernels running_kernels(const Trace& trace, std::uint32_t process, std::int64_t time_ns);

}  // namespace kino
