// Collectives by kind, group and size: time, bandwidth, and the part hidden by compute.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/duration_list.hpp"
#include "core/tables/gpu/collective_facts.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// Returns the factor from algorithm bandwidth to bus bandwidth for `ranks` ranks (NVIDIA nccl-tests,
/// doc/PERFORMANCE.md): 2 (n - 1) / n for all-reduce, (n - 1) / n for all-gather, reduce-scatter, all-to-all,
/// gather and scatter, and 1 for other kinds. 0 if the number of ranks is unknown.
double bus_factor(CollectiveKind kind, std::int64_t ranks);

struct CollectiveRow {
  CollectiveKind kind{};
  std::string kernel;  ///< short kernel name if no metadata describes the data; name of the annotation for
                       ///< collectives on CPU threads; otherwise empty
  std::string group;   ///< name or description of the process group; empty if unknown
  std::int64_t group_size = -1;
  std::int64_t bytes = -1;  ///< bytes per call as in nccl-tests: size of the largest buffer of a rank
  std::string dtype;
  DurationStats spread;             ///< durations of the kernels, clipped to the range
  std::int64_t exposed_ns = 0;      ///< kernel time during which the kernel's GPU does not compute; -1 on CPU
                                    ///< threads
  double algorithm_bandwidth = -1;  ///< GB/s: bytes divided by the mean time
  double bus_bandwidth = -1;        ///< GB/s
  /// Estimated time of the transfers without waits, an upper bound. Assumes that the shortest whole kernel of
  /// the row waited for no rank, and that the other kernels transferred at its rate. The time is -1 if sizes
  /// are unknown, if there is only one kernel, or if no kernel is entirely within the range.
  std::int64_t transfer_ns = -1;
  std::int64_t waiting_ns = -1;  ///< total minus transfer_ns; -1 if transfer_ns is unknown
  SliceId slowest = kNoSlice;
};

struct ExposedKernel {
  SliceId kernel = kNoSlice;
  std::int64_t exposed_ns = 0;  ///< time within the range without compute on its GPU
};
/// Returns the communication kernels of `work` with their exposed time, by stream. O(work log work).
std::vector<ExposedKernel> exposed_kernels(const Trace& trace, const GpuWork& work, TimeRange range,
                                           const std::stop_token& stop = {});

/// Returns one row per kind, group, size and type; kernels without metadata are grouped by name. Most time
/// first. The time of a kernel includes waits for other ranks. O(work log work).
std::vector<CollectiveRow> collective_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                                           const std::stop_token& stop = {});

/// Returns rows for collectives on CPU threads (cpu_collectives()). Their overlap with other work is unknown.
/// O(slices + collectives log collectives).
std::vector<CollectiveRow> cpu_collective_rows(const Trace& trace, TimeRange range,
                                               const std::stop_token& stop = {});

/// Returns the collectives of the row that contains `example`. Kernels are those of `work`, sorted by stream.
/// Collectives on CPU threads are those in `range`, sorted by id. O(work + slices).
std::vector<SliceId> collective_instances(const Trace& trace, const GpuWork& work, TimeRange range,
                                          SliceId example);

Table collective_table(const std::vector<CollectiveRow>& rows);

extern const TableKind<RangeParts> kCollectiveTable;

}  // namespace kino
