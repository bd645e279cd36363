// Work of threads that launch nothing, in gaps in which the launching threads recorded nothing.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// The name with the most time.
struct OtherWork {
  std::string name;     ///< empty: none
  std::int64_t ns = 0;  ///< summed over threads
};

/// Innermost events of the threads that are not in `launching`, clipped to `gaps`: annotations, operators,
/// Python functions and runtime calls. Waits for locks and for the GPU are left out. O(slices log gaps).
/// Empty when stopped.
OtherWork work_of_other_threads(const Trace& trace, std::vector<TimeRange> gaps,
                                std::span<const TrackId> launching, const std::stop_token& stop = {});

}  // namespace kino
