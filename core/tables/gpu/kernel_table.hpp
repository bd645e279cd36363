// GPU work grouped by name, short name, launch configuration or operator: calls, times, configuration.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
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
  shape,  ///< full name and what else is fixed before it runs: grid, block, registers, shared memory, bytes,
          ///< peers; of communication what it sends
  op,     ///< full name and the operator that launched it
  call,   ///< as `shape`, and the operator that launched it with its input shapes; of no table
};

/// Durations are clipped to the range.
struct KernelRow {
  NameId name{};  ///< of the first instance
  SliceKind kind{};
  DurationSpread spread;
  std::uint32_t facts = 0;  ///< of the instance that took longest; see decode_facts()
  SliceId longest = kNoSlice;
  SliceId shortest = kNoSlice;
  NameId op{};  ///< name of the operator that launched most of its time; 0: unknown
  double blocks_per_sm =
      -1;                 ///< mean weighted by duration (as the TensorBoard plugin's); -1: not in the file
  double occupancy = -1;  ///< percent, mean weighted by duration; -1: not in the file
  double occupancy_known_share = 0;            ///< 0..1: of the row's time, with a known_occupancy()
  TensorCores tensor_cores = TensorCores::no;  ///< of kernels that compute
};

/// Rows with the most time first. O(work log work of a group).
std::vector<KernelRow> kernel_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                                   KernelGrouping grouping, const std::stop_token& stop = {});
/// The instances of the row that `example` is one of, by stream. O(work).
std::vector<SliceId> kernel_instances(const Trace& trace, const GpuWork& work, KernelGrouping grouping,
                                      SliceId example, const std::stop_token& stop = {});

/// `kernels`: a row a group. `coverage` is of the GPU work that the rows are of; the table's note names it.
Table kernel_table(const Trace& trace, const std::vector<KernelRow>& rows, KernelGrouping grouping,
                   const LaunchCoverage& coverage = {});

/// "[128, 1, 1]"; empty when unknown.
std::string text_of_triple(const std::array<std::int64_t, 3>& triple);

extern const TableKind<GpuParts> kKernelTable;

}  // namespace kino
