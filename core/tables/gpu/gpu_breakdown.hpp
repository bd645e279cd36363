// Breakdown of each GPU's time: compute, communication, copies, overlap, idle.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class GpuParts;

/// Times of one GPU in ns; concurrent work counts once. Equals HTA's temporal breakdown, kernel types and
/// overlap (README.md, Busy time), with two differences. Waits recorded by cuda_sync do not count as work,
/// and times are not rounded to us.
struct GpuBreakdown {
  std::uint32_t process = 0;  ///< index into Trace::processes
  TimeRange window;           ///< first start to last end of work within the range
  /// Times by set of concurrent kinds. The index is a bit mask: 1 compute, 2 communication, 4 copy.
  std::array<std::int64_t, 8> exact{};

  std::int64_t kernel_time_ns() const { return window.length_ns(); }
  std::int64_t busy_ns() const;
  std::int64_t idle_ns() const { return kernel_time_ns() - busy_ns(); }
  std::int64_t compute_ns() const { return exact[1] + exact[3] + exact[5] + exact[7]; }
  /// Returns the time in which work runs, but none that computes.
  std::int64_t non_compute_ns() const { return busy_ns() - compute_ns(); }
  std::int64_t communication_ns() const { return exact[2] + exact[3] + exact[6] + exact[7]; }
  std::int64_t copy_ns() const { return exact[4] + exact[5] + exact[6] + exact[7]; }
  /// Returns the time in which communication and compute run concurrently.
  std::int64_t overlap_ns() const { return exact[3] + exact[7]; }
  std::int64_t exposed_communication_ns() const { return communication_ns() - overlap_ns(); }
  /// Returns overlap_ns() as a share of communication_ns(); 0 if there is no communication.
  double overlap_share() const;
};

/// Returns one breakdown per GPU with work, in display order. `work` is the work in `range`. O(work log
/// streams).
std::vector<GpuBreakdown> gpu_breakdown(const Trace& trace, const GpuWork& work, TimeRange range,
                                        const std::stop_token& stop = {});

/// Table `breakdown`: one row per GPU.
Table breakdown_table(const Trace& trace, const std::vector<GpuBreakdown>& gpus);
/// Table `kernel-types`: one row per set of concurrent kinds.
Table kernel_type_table(const Trace& trace, const std::vector<GpuBreakdown>& gpus);

extern const TableKind<GpuParts> kBreakdownTable;
extern const TableKind<GpuParts> kKernelTypeTable;

}  // namespace kino
