// The time of the steps that count, by what a change could win back: sums of RunLedger's parts, with
// examples.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/analysis/gpu_launches.hpp"
#include "core/tables/analysis/other_threads.hpp"
#include "core/tables/compare/run_ledger.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One kind of finding over all windows.
struct StepCost {
  std::int64_t ns = 0;
  std::int64_t long_ns = 0;              ///< of that, in parts of gaps or work of 100 us and more each
  std::vector<FindingExample> examples;  ///< as Finding::examples
};

/// Idle time within calls that a program makes once, see StartUp.
struct StartUpCost {
  std::int64_t ns = 0;
  SliceId longest = kNoSlice;
  std::int64_t longest_ns = 0;  ///< of `longest`, without the time that another finding has
};

/// Calls of one kind that launch work.
struct LaunchCost {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t longest_ns = 0;
};

/// The longest gap of a finding, and the call with most of the launching thread's time in it.
struct GapCall {
  std::int64_t gap_ns = 0;
  std::int64_t own_ns = 0;  ///< the part of it that the finding explains
  std::string name;         ///< empty if nothing of the thread was recorded
  double share = 0;         ///< of the gap
};

struct StepCosts {
  FindingBase base;
  bool of_gpu = false;
  bool work_lost = false;  ///< so much that idle time is unknown, see LaunchCounts::idle_unknown()
  GpuLaunches gpus;        ///< of the whole trace
  std::array<StepCost, kFindingKindCount> costs;  ///< by FindingKind
  std::vector<CauseTimes> causes;                 ///< by window
  std::int64_t total_ns = 0;                      ///< of all windows
  std::int64_t unknown_idle_ns = 0;  ///< nothing runs, and the launch of the next work is not in the trace
  std::int64_t doubtful_ns = 0;      ///< of the windows, under GPU work whose duration cannot be right
  std::int64_t compute_ns = 0;       ///< of the windows, in which work computes
  std::int64_t copies_before_kernels_ns = 0;    ///< see before_kernels_ns()
  std::uint64_t copies_before_kernels = 0;      ///< parts of copies that this time consists of
  std::int64_t launches_before_kernels_ns = 0;  ///< see before_kernels_ns()
  std::int64_t capturing_ns = 0;  ///< nothing runs, and the thread of the next launch captures a graph
  StartUpCost launch_start_up;    ///< the part of FindingKind::launch_bound
  StartUpCost memory_start_up;    ///< the part of FindingKind::driver_memory
  std::int64_t silent_ns = 0;  ///< the part of FindingKind::launch_bound without events of launching threads
  OtherWork silent_work;       ///< of other threads in the examples of FindingKind::launch_bound, if silent
  std::uint64_t outliers = 0;
  std::uint64_t slow_steps = 0;
  std::string usual_step;      ///< of those that are not slow the number of the nearest to the median
  LaunchCost kernel_launches;  ///< calls that have a part in the windows, with their full durations
  LaunchCost graph_launches;   ///< the same of calls that launch graphs
  /// CPU time by NameId, for traces without GPU work.
  std::vector<std::int64_t> cpu_ns;
  Message wait_site;        ///< where most of FindingKind::waiting is; empty: no one place has more than half
  bool wait_asked = false;  ///< most of FindingKind::waiting is in synchronisation that no operator makes
  std::string copy_name;    ///< the same of FindingKind::copies
  std::string comm_name;    ///< the same of FindingKind::exposed_communication
  std::string memory_call;  ///< the same of FindingKind::driver_memory
  GapCall late_gap;         ///< of FindingKind::launch_bound
  GapCall launched_gap;     ///< of FindingKind::launch_gaps
  bool single_process_loader = false;  ///< a data loader without workers
  bool data_pipe = false;              ///< data is loaded by a DataPipe alone

  /// Null for findings without.
  const StartUpCost* start_up(FindingKind kind) const;
  /// The part of FindingKind::copies or FindingKind::launch_bound before the first kernel, as when a model is
  /// moved to the device. 0 for other kinds, if the recording has steps, and if fewer than 100 kernels
  /// follow.
  std::int64_t before_kernels_ns(FindingKind kind) const;
  const StepCost& operator[](FindingKind kind) const { return costs[static_cast<std::size_t>(kind)]; }
  StepCost& operator[](FindingKind kind) { return costs[static_cast<std::size_t>(kind)]; }
  CauseTimes cause_sums() const;
};

/// O(slices). Empty when stopped.
StepCosts step_costs(const GpuParts& parts, const std::stop_token& stop = {});

}  // namespace kino
