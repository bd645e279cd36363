// GPU work grouped by name, short name, launch configuration or operator: calls, times, configuration.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/duration_list.hpp"
#include "core/tables/gpu/launch_times.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class GpuParts;

enum class KernelGrouping : std::uint8_t {
  name,
  short_name,
  shape,  ///< full name and launch parameters: grid, block, registers, shared memory, bytes, peers; for
          ///< communication also the data sent
  op,     ///< full name and launching operator
  call,   ///< `shape`, and the launching operator with its input shapes; not a grouping of the table
};

/// Statistics of one group of GPU work. Durations are clipped to the range.
struct KernelRow {
  NameId name{};  ///< name of the first instance
  SliceKind kind{};
  DurationStats spread;
  std::uint32_t facts = 0;  ///< facts index of the longest instance; see decode_facts()
  SliceId longest = kNoSlice;
  SliceId shortest = kNoSlice;
  NameId op{};                ///< name of the launching operator or annotation with the most time; 0 if
                              ///< unknown
  double blocks_per_sm = -1;  ///< mean weighted by duration, as in the TensorBoard plugin; -1: not recorded
  double occupancy = -1;      ///< percent, mean weighted by duration; -1: not recorded
  double occupancy_known_share = 0;            ///< 0..1: share of the row's time with a known_occupancy()
  TensorCores tensor_cores = TensorCores::no;  ///< use of Tensor Cores, for compute kernels
};

/// Returns one row per group, most time first. O(work log work of a group).
std::vector<KernelRow> kernel_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                                   KernelGrouping grouping, const std::stop_token& stop = {});
/// Returns the instances of the row that contains `example`, by stream. O(work).
std::vector<SliceId> kernel_instances(const Trace& trace, const GpuWork& work, KernelGrouping grouping,
                                      SliceId example, const std::stop_token& stop = {});

/// Table `kernels`: one row per group. `coverage` is the launch coverage of the work in the rows; the table
/// has a note on it.
Table kernel_table(const Trace& trace, const std::vector<KernelRow>& rows, KernelGrouping grouping,
                   const LaunchCoverage& coverage = {});

/// Returns "[128, 1, 1]"; empty if unknown.
std::string text_of_triple(const std::array<std::int64_t, 3>& triple);

extern const TableKind<GpuParts> kKernelTable;

}  // namespace kino
