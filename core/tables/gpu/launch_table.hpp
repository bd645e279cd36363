// Launches by name of the call: duration of the call, and delay until the work starts.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/duration_list.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// Reason why work starts before its launching call returns, which makes the launch delay negative.
enum class EarlyStart : std::uint8_t {
  none,           ///< the work starts after the call returned, or its launch is not in the trace
  pageable_copy,  ///< the call copies pageable memory itself, and returns when the copy is done
  waiting_copy,   ///< the call waits for its copy: cudaMemcpy
  during_call,    ///< the GPU was free, and the call takes longer than the launch itself
  before_call,    ///< the clocks of CPU and GPU disagree
};
EarlyStart early_start(const Trace& trace, SliceId gpu_slice);
/// Returns "copy of pageable memory: the call returns only after the copy", ...; empty for `none`.
msg::Id text_of(EarlyStart early);

/// HTA's launch statistics for one call name (README.md, Launches), extended to driver calls, graph launches
/// and HIP. A graph launch counts once per piece of its work, as in HTA, but has only one delay: until its
/// first work starts.
struct LaunchRow {
  NameId call{};
  std::uint64_t count = 0;  ///< number of pairs of call and work
  std::int64_t cpu_ns = 0;  ///< sum of call durations, once per pair
  std::int64_t gpu_ns = 0;
  DurationStats calls;                     ///< durations of distinct calls
  std::uint64_t calls_beyond_limit = 0;    ///< number of `calls` longer than kLongCallNs
  DurationStats delay;                     ///< delays: start of the work minus end of the call, at least 0
  std::uint64_t short_work = 0;            ///< number of pieces of work shorter than their call, for calls of
                                           ///< at most kLongCallNs
  std::uint64_t long_calls = 0;            ///< number of pairs with a call longer than kLongCallNs
  std::uint64_t long_delays = 0;           ///< number of delays longer than kLongDelayNs
  std::uint64_t early = 0;                 ///< number of pieces of work that start before their call returns;
                                           ///< their delay counts as 0
  std::uint64_t early_pageable = 0;        ///< part of `early` with EarlyStart::pageable_copy
  std::uint64_t early_maybe_pageable = 0;  ///< part of `early` with EarlyStart::during_call and host memory
                                           ///< that may be pageable
  std::uint64_t before_call = 0;           ///< part of `early` with EarlyStart::before_call
  SliceId slowest = kNoSlice;              ///< work with the longest delay

  static constexpr std::int64_t kLongCallNs = 50'000;
  static constexpr std::int64_t kLongDelayNs = 100'000;
};

/// Returns one row per call name for GPU work with a known launch; most pairs first. O(work).
std::vector<LaunchRow> launch_rows(const Trace& trace, const GpuWork& work, const std::stop_token& stop = {});

/// Returns the work launched by calls of this name, by stream. O(work).
std::vector<SliceId> launch_instances(const Trace& trace, const GpuWork& work, NameId call);

/// Table `launch`: one row per call name. `all_work`: number of pieces of GPU work with and without a launch.
Table launch_table(const Trace& trace, const std::vector<LaunchRow>& rows, std::size_t all_work);

extern const TableKind<RangeParts> kLaunchTable;

}  // namespace kino
