// GPU efficiency of kernels: utilization, estimated SM efficiency and occupancy.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/counter_curve.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class GpuParts;

/// Metrics of the TensorBoard plugin's GPU summary (README.md, Utilization) over a range. Occupancies that
/// were not recorded are excluded. A metric is -1 if it is unknown.
struct GpuMetrics {
  std::uint32_t process = 0;  ///< index into Trace::processes
  double utilization = 0;     ///< 0..1: share of the range with a kernel; copies do not count
  double sm_efficiency = -1;  ///< 0..1: mean over the range of min(1, blocks per SM of the running kernels)
  double occupancy = -1;      ///< percent: estimated achieved occupancy, mean weighted by duration
  double occupancy_known_share = 0;  ///< 0..1: share of kernel time with a known_occupancy()
  /// 0..1: share of kernel time in kernels known to use Tensor Cores. Without such kernels, it is -1 if
  /// the vendor is unknown or tensor_core_unknown_share is at least 0.5.
  double tensor_core_share = 0;
  double tensor_core_unknown_share = 0;  ///< 0..1: share of kernel time in kernels whose names do not show
                                         ///< whether they use Tensor Cores
};

/// Returns one element per GPU with kernels. O(kernels log concurrent kernels).
std::vector<GpuMetrics> gpu_metrics(const Trace& trace, const GpuWork& work, TimeRange range,
                                    const std::stop_token& stop = {});

/// Curves whose means are utilization and SM efficiency. Both begin at the start of the range, with 0 unless
/// a kernel runs there, and end with 0.
struct GpuRates {
  std::uint32_t process = 0;           ///< index into Trace::processes
  std::vector<CurvePoint> busy;        ///< 1 while a kernel runs
  std::vector<CurvePoint> efficiency;  ///< min(1, blocks per SM); empty if unknown
};

/// Returns utilization and SM efficiency over time, one element per GPU with kernels.
std::vector<GpuRates> gpu_rates(const Trace& trace, const GpuWork& work, TimeRange range,
                                const std::stop_token& stop = {});

/// Table `utilization`: one row per GPU. `gpus` contains the metrics over the window of `base`.
Table gpu_metrics_table(const Trace& trace, const std::vector<GpuMetrics>& gpus, const TimeBase& base);

extern const TableKind<GpuParts> kGpuMetricsTable;

}  // namespace kino
