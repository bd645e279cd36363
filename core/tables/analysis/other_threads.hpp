// Work of threads without launches, in gaps without events of the launching threads.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// Name with the most time.
struct OtherWork {
  std::string name;     ///< empty if there is none
  std::int64_t ns = 0;  ///< summed over threads
};

/// Considers innermost events of the threads not in `launching`, clipped to `gaps`: annotations, operators,
/// Python functions and runtime calls. Excludes waits for locks and for the GPU. O(slices log gaps).
OtherWork work_of_other_threads(const Trace& trace, std::vector<TimeRange> gaps,
                                std::span<const TrackId> launching, const std::stop_token& stop = {});

}  // namespace kino
