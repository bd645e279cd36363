// Who waits for whom: calls of the CPU that wait for the GPU, and idle GPUs whose next work was launched
// late.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/gpu/step_split.hpp"
#include "core/relations/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A call during which a thread does nothing but wait for the GPU: synchronisations, copies that block.
struct GpuWait {
  TrackId thread{};
  TimeRange time;  ///< within the window
  SliceId call = kNoSlice;
  /// It starts after the program's last operator and launch, outside of operators: so recordings end, for the
  /// profiler, or the program, waits until all work is done.
  bool at_the_end = false;
};

/// By thread, then in order of time; those of a thread are disjoint. O(slices). Empty when stopped.
std::vector<GpuWait> gpu_waits(const Trace& trace, TimeRange window, const std::stop_token& stop = {});

/// Idle time of one GPU before work that was launched after the GPU had run dry (HTA's host wait,
/// README.md, Idle time, but of the whole GPU).
struct LateLaunches {
  /// Without what the data loader takes, and without what the launching thread waits for the GPU: then the
  /// GPU does what was not recorded, or finishes.
  std::int64_t idle_ns = 0;
  SliceId longest_after = kNoSlice;  ///< what follows the longest such gap
};

/// `streams` are the GPU's own, with their work in the window, in which the first gap may begin; `waits` are
/// those of the window. O(their work log streams + gaps log slices).
LateLaunches late_launches(const Trace& trace, std::span<const StreamWork> streams, TimeRange window,
                           const TimeRoles& roles, const std::vector<GpuWait>& waits,
                           const std::stop_token& stop = {});

}  // namespace kino
