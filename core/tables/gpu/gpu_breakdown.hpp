// How the time of each GPU splits: computing, communicating, copying, overlapping, idle.
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

/// Measures of unions, in ns: work of several streams at one time counts once. HTA's temporal breakdown,
/// kernel types and overlap (README.md, Busy time), but without the waits that cuda_sync records, which HTA
/// takes for work, and without its rounding to us.
struct GpuBreakdown {
  std::uint32_t process = 0;  ///< index into Trace::processes
  TimeRange window;           ///< first start to last end within the range
  /// Times by the set of kinds that run at once: 1 compute, 2 communication, 4 copy.
  std::array<std::int64_t, 8> exact{};

  std::int64_t kernel_time_ns() const { return window.length_ns(); }
  std::int64_t busy_ns() const;
  std::int64_t idle_ns() const { return kernel_time_ns() - busy_ns(); }
  std::int64_t compute_ns() const { return exact[1] + exact[3] + exact[5] + exact[7]; }
  /// Covered by work, but by no computation.
  std::int64_t non_compute_ns() const { return busy_ns() - compute_ns(); }
  std::int64_t communication_ns() const { return exact[2] + exact[3] + exact[6] + exact[7]; }
  std::int64_t copy_ns() const { return exact[4] + exact[5] + exact[6] + exact[7]; }
  /// Communication under computation.
  std::int64_t overlap_ns() const { return exact[3] + exact[7]; }
  std::int64_t exposed_communication_ns() const { return communication_ns() - overlap_ns(); }
  /// Share of communication that computation hides; 0 without communication.
  double overlap_share() const;
};

/// One for each GPU with work, in display order. `work` is that of `range`. O(work log streams).
std::vector<GpuBreakdown> gpu_breakdown(const Trace& trace, const GpuWork& work, TimeRange range,
                                        const std::stop_token& stop = {});

/// A row a GPU: `breakdown`.
Table breakdown_table(const Trace& trace, const std::vector<GpuBreakdown>& gpus);
/// A row for each set of kinds that ran at one time: `kernel-types`.
Table kernel_type_table(const Trace& trace, const std::vector<GpuBreakdown>& gpus);

extern const TableKind<GpuParts> kBreakdownTable;
extern const TableKind<GpuParts> kKernelTypeTable;

}  // namespace kino
