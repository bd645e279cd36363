// Collectives by kind, group and size: time, bandwidth, and how much of it computation hides.
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

/// The factor from algorithm to bus bandwidth for `ranks` (NVIDIA nccl-tests, doc/PERFORMANCE.md): 2 (n - 1)
/// / n for all-reduce, (n - 1) / n for all-gather, reduce-scatter, all-to-all, gather and scatter, else 1; 0
/// for an unknown number of ranks.
double bus_factor(CollectiveKind kind, std::int64_t ranks);

struct CollectiveRow {
  CollectiveKind kind{};
  std::string kernel;  ///< its short name, where nothing else tells what it sends; the name of the annotation
                       ///< of a collective on CPU threads; else empty
  std::string group;   ///< the process group's name or description; empty when unknown
  std::int64_t group_size = -1;
  std::int64_t bytes = -1;  ///< of one call, by nccl-tests: what the largest buffer of a rank holds
  std::string dtype;
  DurationSpread spread;        ///< of its kernels, clipped to the range
  std::int64_t exposed_ns = 0;  ///< summed parts of kernels during which nothing computes on their GPU; -1
                                ///< on CPU threads
  double algorithm_bandwidth = -1;  ///< GB/s: bytes divided by the mean time
  double bus_bandwidth = -1;        ///< GB/s
  /// An estimate: as if the shortest whole kernel of the row had not waited for any rank, and the others had
  /// transferred as fast. -1 where sizes are unknown or there is only one kernel to compare.
  std::int64_t transfer_ns = -1;
  std::int64_t waiting_ns = -1;  ///< what is left of the total
  SliceId slowest = kNoSlice;
};

/// A kernel that communicates.
struct ExposedKernel {
  SliceId kernel = kNoSlice;
  std::int64_t exposed_ns = 0;  ///< its parts within the range during which nothing computes on its GPU
};
/// Those of the work, by stream. O(work log work). Empty when stopped.
std::vector<ExposedKernel> exposed_kernels(const Trace& trace, const GpuWork& work, TimeRange range,
                                           const std::stop_token& stop = {});

/// A row for each kind, group, size and type, and for each kernel that collective_facts() know nothing of but
/// the name; the most time first. A kernel that waits for another rank counts with its wait.
/// O(work log work).
std::vector<CollectiveRow> collective_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                                           const std::stop_token& stop = {});

/// The same of collectives on CPU threads (cpu_collectives()). Nothing is known of what hides them.
/// O(slices + collectives log collectives).
std::vector<CollectiveRow> cpu_collective_rows(const Trace& trace, TimeRange range,
                                               const std::stop_token& stop = {});

/// The kernels of the row of `example`, by stream, or its collectives on CPU threads. O(work + slices).
std::vector<SliceId> collective_instances(const Trace& trace, const GpuWork& work, SliceId example);

/// `collectives`.
Table collective_table(const std::vector<CollectiveRow>& rows);

extern const TableKind<RangeParts> kCollectiveTable;

}  // namespace kino
