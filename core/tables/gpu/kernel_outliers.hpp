// GPU work that took much longer than its like: than the same place of other steps, or the same call.
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

/// An instance far above the median of its peers. In a trace with two steps or more, the peers are at the
/// same place of other steps: the n-th call of equal name, configuration, launching operator and input shapes
/// in a step that makes as many of them. In other traces, the peers are all calls that are equal so, if input
/// shapes or bytes are recorded (KernelCalls::tells_work()): else equal calls may do other work.
struct KernelOutlier {
  SliceId slice = kNoSlice;
  std::int64_t duration_ns = 0;
  std::int64_t median_ns = 0;  ///< of the peers, this one among them
  double ratio = 0;

  std::int64_t excess_ns() const { return duration_ns - median_ns; }
};

/// How far from its peers an instance has to be. It has to exceed both the median times `ratio`, and the
/// median by `deviations` median absolute deviations.
struct OutlierLimits {
  std::uint64_t least_peers = 0;  ///< with the instance itself
  double ratio = 0;
  std::int64_t least_excess_ns = 0;
};
inline constexpr int kOutlierDeviations = 8;  ///< over 5 standard deviations of a normal distribution
inline constexpr OutlierLimits kPlaceOutliers{3, 2, 5'000};
/// Without steps, the like of an instance is at several places of the model: only what is rare and far away
/// stands out.
inline constexpr OutlierLimits kCallOutliers{4, 5, 0};

/// Outliers of `work`, compared with all work of the trace. The largest excess first. O(GPU slices log of
/// them). Empty when stopped.
std::vector<KernelOutlier> kernel_outliers(const Trace& trace, const GpuWork& work,
                                           const std::stop_token& stop = {});
/// The peers of a piece of work, with itself, in order of start.
std::vector<SliceId> outlier_peers(const Trace& trace, SliceId example, const std::stop_token& stop = {});

/// `outliers`: a row an instance.
Table outlier_table(const Trace& trace, const std::vector<KernelOutlier>& outliers);

extern const TableKind<GpuParts> kOutlierTable;

}  // namespace kino
