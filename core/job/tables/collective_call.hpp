// Properties of one collective over its ranks: time, size, bandwidth.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/job/job_analysis.hpp"
#include "core/tables/row_link.hpp"

namespace kino {

/// Properties of one collective. Unknown values are -1.
struct CollectiveCall {
  std::int64_t start_ns = 0;  ///< first arrival, by the common clock
  std::int64_t end_ns = 0;
  std::string_view operation;  ///< view of a text of a digest
  std::int64_t bytes = -1;     ///< size of the whole operation; see CollectiveFacts::bytes()
  double algorithm_gb_per_s = -1;
  double bus_gb_per_s = -1;
};

/// Returns the properties of one of JobWaits::collectives; bandwidths are those of transfer_speed().
/// O(members).
CollectiveCall call_of(const JobAnalysis& job, const CollectiveWait& wait);

/// Returns a link to the kernel of the rank that arrived last.
RowLink link_to_latest(const JobAnalysis& job, const CollectiveWait& wait);

}  // namespace kino
