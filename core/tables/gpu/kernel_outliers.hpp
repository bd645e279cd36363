// GPU work that took much longer than its peers: the same position in other steps, or equal calls.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class GpuParts;

/// A piece of GPU work that takes far longer than the median of its peers. Equal calls have equal name,
/// configuration, launching operator and input shapes. In a trace with at least two steps, peers are equal
/// calls at the same position, in steps with equally many of these calls. In other traces, peers are all
/// equal calls, if input shapes or bytes are recorded (KernelCalls::is_comparable_work()). If they are not
/// recorded, equal calls may do different work, so they have no peers. Communication, whole graphs and work
/// of doubtful duration have no peers.
struct KernelOutlier {
  SliceId slice = kNoSlice;
  std::int64_t duration_ns = 0;
  std::int64_t median_ns = 0;  ///< median duration of the peers, including this instance
  double ratio = 0;

  std::int64_t excess_ns() const { return duration_ns - median_ns; }
};

/// Limits above which work is an outlier. Its duration must exceed the median times `ratio`. The excess over
/// the median must be more than kOutlierDeviations median absolute deviations, and more than least_excess_ns.
struct OutlierLimits {
  std::uint64_t least_peers = 0;  ///< minimum number of peers, including the instance
  double ratio = 0;
  std::int64_t least_excess_ns = 0;
};
inline constexpr int kOutlierDeviations = 8;  ///< more than 5 standard deviations of a normal distribution
inline constexpr OutlierLimits kPositionOutliers{3, 2, 5'000};
/// Without steps, peers may be at different places of the model, so only rare and extreme cases are outliers.
inline constexpr OutlierLimits kCallOutliers{4, 5, 0};

/// Returns the outliers in `work`, compared with all work of the trace. Largest excess first. O(n log n) in
/// GPU slices.
std::vector<KernelOutlier> kernel_outliers(const Trace& trace, const GpuWork& work,
                                           const std::stop_token& stop = {});
/// Returns the peers of a piece of work, including the work itself, sorted by start. Empty if it has no
/// peers.
std::vector<SliceId> outlier_peers(const Trace& trace, SliceId example, const std::stop_token& stop = {});

/// Table `outliers`: one row per instance.
Table outlier_table(const Trace& trace, const std::vector<KernelOutlier>& outliers);

extern const TableKind<GpuParts> kOutlierTable;

}  // namespace kino
