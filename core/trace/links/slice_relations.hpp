// Relations of a slice: parents, children, launch, operator, forward and backward, GPU work below.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// The chain of parents, outermost first, without the slice itself. O(depth).
std::vector<SliceId> parents_of(const Trace& trace, SliceId slice);

/// Direct children by start, the outer lane first on ties. O(log n + children) on tracks that nest properly,
/// otherwise O(lanes log n + descendants).
std::vector<SliceId> children_of(const Trace& trace, SliceId slice);

/// Duration minus the union of the direct children, which may overlap. Has the cost of children_of().
std::int64_t self_ns(const Trace& trace, SliceId slice);

/// Whether the slice runs (or waits) on a GPU, so that its link is its launch.
bool is_on_gpu(const Trace& trace, SliceId slice);

/// The CPU call that launched a GPU slice; the slice itself if it is on the CPU; kNoSlice if the launch is
/// not in the trace. O(1).
SliceId cpu_side_of(const Trace& trace, SliceId slice);

/// The innermost operator (cpu_op) around the slice or around its launch, never the slice itself. kNoSlice
/// without one. O(depth).
SliceId operator_of(const Trace& trace, SliceId slice);

/// The operators at the other ends of arrows of category fwdbwd that end (forward_of) or begin (backward_of)
/// at the CPU side of the slice, or at its nearest parent that has one. Sorted. O(depth log arrows).
std::vector<SliceId> forward_of(const Trace& trace, SliceId slice);
std::vector<SliceId> backward_of(const Trace& trace, SliceId slice);

/// Start of the GPU slice minus end of its launch, in ns; negative if it started before the call returned
/// (HTA reports 0 then: core/tables/gpu/README.md, Launches). Empty without a launch. O(1).
std::optional<std::int64_t> launch_delay_ns(const Trace& trace, SliceId gpu_slice);

/// The calls from which GPU work was launched, outermost first, the launch last: annotations, modules and
/// operators, but no other Python frames. Empty without a launch. O(depth).
std::vector<SliceId> launch_chain(const Trace& trace, SliceId gpu_slice);

/// launch_chain() of the operator of the forward pass, with that operator last. For work of the backward
/// pass, whose thread has neither modules nor steps. Empty without one. O(depth log arrows).
std::vector<SliceId> forward_chain(const Trace& trace, SliceId slice);

/// The position of a kernel in its stream's queue when it was launched.
struct QueuePosition {
  std::uint32_t ahead = 0;   ///< launched by then, not started, and started before this one
  std::uint32_t length = 0;  ///< launched by then and not started, including this one: HTA's queue length
};

/// HTA's queue length (core/tables/gpu/README.md, Queues) for every kind of launch, also driver, graph and
/// HIP calls. Counts the GPU work of this track whose launch started at or before the start of this launch,
/// and that started at or after it. Empty if it is not GPU work or has no launch. O(work of the track since
/// the launch).
std::optional<QueuePosition> queue_position(const Trace& trace, SliceId gpu_slice,
                                            const std::stop_token& stop = {});

/// QueuePosition::length of all GPU work at once, by slice; kNoQueue if queue_position() is empty. O(n log
/// n).
constexpr std::uint32_t kNoQueue = UINT32_MAX;
std::vector<std::uint32_t> queue_lengths(const Trace& trace, const std::stop_token& stop = {});

/// GPU work whose launch starts within a CPU slice, on its thread.
struct GpuWorkBelow {
  std::vector<SliceId> slices;  ///< by start
  std::int64_t device_ns = 0;   ///< summed durations (not their union)
  TimeRange range;              ///< first start to last end; {0, 0} without work
};

/// Kernels, copies and memsets launched at or below `cpu_slice`, without waits of cuda_sync. Empty for GPU
/// slices. O(slices of the thread within it + work log work).
GpuWorkBelow gpu_work_below(const Trace& trace, SliceId cpu_slice, const std::stop_token& stop = {});

}  // namespace kino
