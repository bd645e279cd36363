// Time of the used steps by finding: sums of the categories of TimeAttribution, with examples.
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
  std::int64_t long_ns = 0;              ///< part of `ns` in intervals of at least 100 us each; set only for
                                         ///< idle time, recompute and loader calls
  std::vector<FindingExample> examples;  ///< see Finding::examples
};

/// Idle time within one-time calls, see StartUp.
struct StartUpCost {
  std::int64_t ns = 0;
  SliceId longest = kNoSlice;
  std::int64_t longest_ns = 0;  ///< part of the call `longest` that belongs to this finding
};

/// Time by FindingKind within one part of FindingBase::all.
using PartCosts = std::array<std::int64_t, kFindingKindCount>;

/// Launch calls of one kind.
struct LaunchCost {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t longest_ns = 0;
};

/// Longest gap of a finding, and the call in which the launching thread spends most of the gap.
struct GapCall {
  std::int64_t gap_ns = 0;
  std::int64_t own_ns = 0;  ///< part of the gap that the finding explains
  std::string name;         ///< empty if the thread recorded nothing
  double share = 0;         ///< part of the gap spent in this call, 0..1
};

struct StepCosts {
  FindingBase base;
  bool of_gpu = false;
  bool work_lost = false;  ///< whether so much GPU work is lost that idle time is unknown, see
                           ///< LaunchCounts::idle_unknown()
  GpuLaunches gpus;        ///< GPUs by whether their launches are known, for the whole trace
  std::array<StepCost, kFindingKindCount> costs;  ///< by FindingKind
  std::vector<CauseTimes> causes;                 ///< by window
  std::vector<PartCosts> by_part;                 ///< by part of FindingBase::all
  std::int64_t total_ns = 0;                      ///< sum of all windows
  std::int64_t unknown_idle_ns = 0;               ///< idle time before work whose launch is not in the trace
  std::int64_t doubtful_ns = 0;  ///< time in the windows in which GPU work with an implausible duration runs
  std::int64_t compute_ns = 0;   ///< time in the windows in which GPU work computes
  std::int64_t copies_before_kernels_ns = 0;    ///< see before_kernels_ns()
  std::uint64_t copies_before_kernels = 0;      ///< number of copies, or parts of copies, in
                                                ///< copies_before_kernels_ns
  std::int64_t launches_before_kernels_ns = 0;  ///< see before_kernels_ns()
  std::int64_t capturing_ns = 0;                ///< idle time in which a thread captures a graph
  StartUpCost launch_start_up;                  ///< part of FindingKind::launch_bound
  StartUpCost memory_start_up;                  ///< part of FindingKind::driver_memory
  std::int64_t untraced_ns = 0;  ///< part of FindingKind::launch_bound without events of launching threads
  OtherWork silent_work;  ///< work of other threads in the examples of FindingKind::launch_bound; empty if
                          ///< `untraced_ns` is less than half of the cost
  std::uint64_t outliers = 0;
  std::uint64_t slow_steps = 0;
  std::string usual_step;      ///< number of the step that is nearest to the median and not slow; empty if
                               ///< there are fewer than three steps
  LaunchCost kernel_launches;  ///< kernel launch calls that overlap the windows, except captured ones;
                               ///< durations are not clipped
  LaunchCost graph_launches;   ///< graph launch calls that overlap the windows, except captured ones;
                               ///< durations are not clipped
  /// CPU time by NameId, for traces without GPU work.
  std::vector<std::int64_t> cpu_ns;
  Message wait_site;              ///< code location of more than half of FindingKind::waiting; empty if there
                                  ///< is none
  bool wait_is_explicit = false;  ///< whether most of FindingKind::waiting is in synchronization outside of
                                  ///< operators
  std::string copy_name;    ///< name of the copies with more than half of FindingKind::copies; may be empty
  std::string comm_name;    ///< name of the collectives with more than half of
                            ///< FindingKind::exposed_communication; may be empty
  std::string memory_call;  ///< name of the calls with more than half of FindingKind::driver_memory, or
                            ///< the only name of such calls; may be empty
  GapCall late_gap;         ///< for FindingKind::launch_bound
  GapCall launched_gap;     ///< for FindingKind::launch_gaps
  bool single_process_loader = false;  ///< whether the data loader has no worker processes
  bool data_pipe = false;              ///< whether a DataPipe loads data

  /// Returns the start-up part of a finding; null for kinds that have none.
  const StartUpCost* start_up(FindingKind kind) const;
  /// Returns the part of FindingKind::copies or FindingKind::launch_bound before the first kernel, typically
  /// while a model is moved to the device. Returns 0 for other kinds, if the recording has steps, or if it
  /// has fewer than 100 kernels.
  std::int64_t before_kernels_ns(FindingKind kind) const;
  const StepCost& operator[](FindingKind kind) const { return costs[static_cast<std::size_t>(kind)]; }
  StepCost& operator[](FindingKind kind) { return costs[static_cast<std::size_t>(kind)]; }
  CauseTimes cause_sums() const;
};

/// Computes the costs of all kinds of findings that have a time. O(slices).
StepCosts step_costs(const GpuParts& parts, const std::stop_token& stop = {});

}  // namespace kino
