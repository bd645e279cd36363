// GPU time of replayed work by the operator or module of its captured launch.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/tables/capture/capture_join.hpp"
#include "core/tables/capture/graph_captures.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class JoinedGrouping : std::uint8_t { op, module };

/// Replayed work of one operator and shapes, or of one module, that was joined at one level.
struct JoinedCost {
  std::string_view name;              ///< operator or module; empty if there is none
  std::string_view shapes;            ///< of an operator's inputs; empty if they are unknown
  JoinLevel level = JoinLevel::none;  ///< `none`: the work has no captured launch
  std::uint64_t work = 0;             ///< number of kernels, copies and memsets
  std::int64_t gpu_ns = 0;            ///< summed durations
  SliceId longest = kNoSlice;
};

/// Returns the costs of the replays that are launched in `range`, most time first. All replayed work is in
/// exactly one row. O(n log n).
std::vector<JoinedCost> joined_costs(const Trace& trace, const GraphCaptures& captures,
                                     const CaptureJoin& join, TimeRange range, JoinedGrouping grouping);

}  // namespace kino
