// What runs on a GPU of a trace at a moment.
#pragma once

#include <cstdint>

#include "core/trace/trace.hpp"

namespace kino {

struct RunningKernels {
  SliceId first = kNoSlice;  ///< of a kernel before communication before a copy; of equals the longest
  std::uint32_t more = 0;    ///< that run at the same time
};

/// Of the streams of `process`, which is a GPU; slices that are no GPU work do not count. O(rows log slices).
RunningKernels running_kernels(const Trace& trace, std::uint32_t process, std::int64_t time_ns);

}  // namespace kino
