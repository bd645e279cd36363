// Time of the used steps by possible saving: sums of the parts of TimeAttribution, with examples.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/analysis/gpu_launches.hpp"
#include "core/tables/analysis/other_threads.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Time of one kind of finding over all windows.
struct StepCost {
  std::int64_t ns = 0;
  std::int64_t long_ns = 0;              ///< in gaps or work of at least 100 us each
  std::vector<FindingExample> examples;  ///< see Finding::examples
};

/// Idle time within one-time calls, see StartUp.
struct StartUpCost {
  std::int64_t ns = 0;
  SliceId longest = kNoSlice;
  std::int64_t longest_ns = 0;  ///< time of `longest` that no other finding includes
};

/// Launch calls of one kind.
struct LaunchCost {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t longest_ns = 0;
};

/// Longest gap of a finding, and the call with most of the launching thread's time in it.
struct GapCall {
  std::int64_t gap_ns = 0;
  std::int64_t own_ns = 0;  ///< part that the finding explains
  std::string name;         ///< empty if the thread recorded nothing
  double share = 0;         ///< share of the gap
};

struct StepCosts {
  FindingBase base;
  bool of_gpu = false;
  bool work_lost = false;  ///< so much that idle time is unknown, see LaunchCounts::idle_unknown()
  GpuLaunches gpus;        ///< for the whole trace
  std::array<StepCost, kFindingKindCount> costs;  ///< by FindingKind
  std::vector<CauseTimes> causes;                 ///< by window
  std::int64_t total_ns = 0;                      ///< sum of all windows
  std::int64_t unknown_idle_ns = 0;               ///< idle time before work whose launch is not in the trace
  std::int64_t doubtful_ns = 0;  ///< time in the windows under GPU work with implausible durations
  std::int64_t compute_ns = 0;   ///< time in the windows in which work computes
  std::int64_t copies_before_kernels_ns = 0;    ///< see before_kernels_ns()
  std::uint64_t copies_before_kernels = 0;      ///< number of parts of copies in that time
  std::int64_t launches_before_kernels_ns = 0;  ///< see before_kernels_ns()
  std::int64_t capturing_ns = 0;  ///< idle time in which the thread of the next launch captures a graph
  StartUpCost launch_start_up;    ///< part of FindingKind::launch_bound
  StartUpCost memory_start_up;    ///< part of FindingKind::driver_memory
  std::int64_t untraced_ns = 0;   ///< part of FindingKind::launch_bound without events of launching threads
  OtherWork silent_work;  ///< by other threads in the examples of FindingKind::launch_bound, if silent
  std::uint64_t outliers = 0;
  std::uint64_t slow_steps = 0;
  std::string usual_step;      ///< number of the step nearest to the median that is not slow
  LaunchCost kernel_launches;  ///< calls with a part in the windows, with full durations
  LaunchCost graph_launches;   ///< calls that launch graphs, as above
  /// CPU time by NameId, for traces without GPU work.
  std::vector<std::int64_t> cpu_ns;
  Message wait_site;              ///< place of most of FindingKind::waiting; empty: none has more than half
  bool wait_is_explicit = false;  ///< most of FindingKind::waiting is in synchronization outside of operators
  std::string copy_name;          ///< name with most of FindingKind::copies; may be empty
  std::string comm_name;          ///< name with most of FindingKind::exposed_communication; may be empty
  std::string memory_call;        ///< call with most of FindingKind::driver_memory; may be empty
  GapCall late_gap;               ///< for FindingKind::launch_bound
  GapCall launched_gap;           ///< for FindingKind::launch_gaps
  bool single_process_loader = false;  ///< a data loader without workers
  bool data_pipe = false;              ///< only a DataPipe loads data

  /// Returns null for findings without start-up.
  const StartUpCost* start_up(FindingKind kind) const;
  /// Part of FindingKind::copies or FindingKind::launch_bound before the first kernel, as when a model is
  /// moved to the device. Returns 0 for other kinds, if the recording has steps, or if fewer than 100 kernels
  /// follow.
  std::int64_t before_kernels_ns(FindingKind kind) const;
  const StepCost& operator[](FindingKind kind) const { return costs[static_cast<std::size_t>(kind)]; }
  StepCost& operator[](FindingKind kind) { return costs[static_cast<std::size_t>(kind)]; }
  CauseTimes cause_sums() const;
};

/// O(slices).
StepCosts step_costs(const GpuParts& parts, const std::stop_token& stop = {});

}  // namespace kino
