// Work of threads that launch no GPU work, in gaps in which the launching threads have no events.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// Event name with the most time in the gaps.
struct OtherWork {
  std::string name;     ///< empty if there is none
  std::int64_t ns = 0;  ///< summed over threads
};

/// Returns the name with the most time in `gaps` on threads that are not in `launching`. Counts innermost
/// events, clipped to `gaps`: annotations, operators, Python functions and runtime calls. Waits for locks and
/// for the GPU are excluded. O(slices log gaps).
OtherWork work_of_other_threads(const Trace& trace, std::vector<TimeRange> gaps,
                                std::span<const TrackId> launching, const std::stop_token& stop = {});

}  // namespace kino
