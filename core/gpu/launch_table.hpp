// From the call to the work: how long launches take and how late their work starts, by kind of call.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/duration_list.hpp"
#include "core/relations/gpu_work.hpp"
#include "core/table/table.hpp"
#include "core/table/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// HTA's launch statistics (README.md, Launches) over every kind of call, also of the driver, of graphs and
/// of HIP. A graph launch counts once for each piece of its work, as there.
struct LaunchRow {
  NameId call{};
  std::uint64_t count = 0;  ///< pairs of call and work
  std::int64_t cpu_ns = 0;  ///< summed durations of the calls, once a pair
  std::int64_t gpu_ns = 0;
  DurationSpread delay;           ///< start of the work minus end of the call, at least 0
  std::uint64_t short_work = 0;   ///< work shorter than its call, which itself takes at most kLongCallNs
  std::uint64_t long_calls = 0;   ///< calls longer than kLongCallNs
  std::uint64_t long_delays = 0;  ///< delays longer than kLongDelayNs
  SliceId slowest = kNoSlice;     ///< work with the longest delay

  static constexpr std::int64_t kLongCallNs = 50'000;
  static constexpr std::int64_t kLongDelayNs = 100'000;
};

/// GPU work of the range that has a launch; most pairs first. O(work).
std::vector<LaunchRow> launch_rows(const Trace& trace, const GpuWork& work, const std::stop_token& stop = {});

/// The work that calls of this name launched, by stream. O(work).
std::vector<SliceId> launch_instances(const Trace& trace, const GpuWork& work, NameId call);

/// `launch`: a row a kind of call.
Table launch_table(const Trace& trace, const std::vector<LaunchRow>& rows, std::size_t all_work);

extern const TableKind kLaunchTable;

}  // namespace kino
