// What one collective of several ranks was: when, of how many bytes, how fast.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/job/job_analysis.hpp"

namespace kino {

/// What is unknown is -1.
struct CollectiveCall {
  std::int64_t start_ns = 0;  ///< the first arrival, by the common clock
  std::int64_t end_ns = 0;
  std::string_view operation;  ///< of the digests
  std::int64_t bytes = -1;     ///< RANKS 3: of the whole operation
  double algorithm_gb_per_s = -1;
  double bus_gb_per_s = -1;
};

/// Of one of JobWaits::collectives. No bandwidth where a member is missing, or where the transfer is shorter
/// than the clocks are in doubt. The factor of the bus is nccl-tests' (doc/PERFORMANCE.md). O(members).
CollectiveCall call_of(const JobAnalysis& job, const CollectiveWait& wait);

}  // namespace kino
