// Relations of a slice: parents, children, launch, operator, forward and backward pass, and GPU work launched
// in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// Returns the chain of parents, outermost first, excluding the slice itself. O(depth).
std::vector<SliceId> parents_of(const Trace& trace, SliceId slice);

/// Returns the direct children by start, the outer lane first on ties. O(log n + children) on tracks that
/// nest properly, otherwise O(lanes log n + descendants).
std::vector<SliceId> children_of(const Trace& trace, SliceId slice);

/// Returns the duration minus the union of the direct children, which may overlap. Has the cost of
/// children_of().
std::int64_t self_ns(const Trace& trace, SliceId slice);

/// Whether the slice runs (or waits) on a GPU. The link of such a slice is its launch.
bool is_on_gpu(const Trace& trace, SliceId slice);

/// Returns the CPU call that launched a GPU slice, or kNoSlice if the launch is not in the trace. Returns a
/// CPU slice itself. O(1).
SliceId cpu_side_of(const Trace& trace, SliceId slice);

/// Returns the innermost operator (cpu_op) around the slice or around its launch, never the slice itself.
/// kNoSlice if there is none. O(depth).
SliceId operator_of(const Trace& trace, SliceId slice);

/// Return the operators at the other ends of arrows of category fwdbwd. forward_of() uses arrows that end at
/// the CPU side of the slice, and backward_of() arrows that start there. If the slice has no such arrow, its
/// nearest parent that has one is used. Sorted. O(depth log arrows).
std::vector<SliceId> forward_of(const Trace& trace, SliceId slice);
std::vector<SliceId> backward_of(const Trace& trace, SliceId slice);

/// Returns the start of the GPU slice minus the end of its launch, in ns. Negative if the slice started
/// before the call returned (HTA then reports 0: core/tables/gpu/README.md, Launches). Empty if the slice is
/// not a GPU slice or its launch is not in the trace. O(1).
std::optional<std::int64_t> launch_delay_ns(const Trace& trace, SliceId gpu_slice);

/// Returns the calls from which GPU work was launched, outermost first, the launch last: annotations, modules
/// and operators, but no other Python frames. Empty if there is no launch. O(depth).
std::vector<SliceId> launch_chain(const Trace& trace, SliceId gpu_slice);

/// Returns the calls around the first of forward_of() like launch_chain(), with this operator last. Use it
/// for work of the backward pass, whose thread has neither modules nor steps. Empty if there is no forward
/// operator. O(depth log arrows).
std::vector<SliceId> forward_chain(const Trace& trace, SliceId slice);

/// The position of a kernel in its stream's queue when it was launched.
struct QueuePosition {
  std::uint32_t ahead = 0;   ///< work that was launched but had not started, and starts before this slice
  std::uint32_t length = 0;  ///< all work that was launched but had not started, including this slice
};

/// Returns HTA's queue length (core/tables/gpu/README.md, Queues) for any kind of launch, including driver,
/// graph and HIP calls. Counts the GPU work on this track that was launched no later than this slice and
/// started no earlier than the launch. Empty if the slice is not GPU work or has no launch. O(work of the
/// track since the launch).
std::optional<QueuePosition> queue_position(const Trace& trace, SliceId gpu_slice,
                                            const std::stop_token& stop = {});

constexpr std::uint32_t kNoQueue = UINT32_MAX;
/// Returns QueuePosition::length for all GPU work at once, by slice; kNoQueue if queue_position() is empty.
/// O(n log n).
std::vector<std::uint32_t> queue_lengths(const Trace& trace, const std::stop_token& stop = {});

/// GPU work whose launch starts within a CPU slice, on its thread.
struct GpuWorkBelow {
  std::vector<SliceId> slices;  ///< by start
  std::int64_t device_ns = 0;   ///< summed durations (not their union)
  TimeRange range;              ///< from the first start to the last end; {0, 0} if there is no work
};

/// Returns the kernels, copies and memsets launched at or below `cpu_slice`, excluding waits of cuda_sync.
/// Empty for GPU slices. O(slices of the thread within it + work log work).
GpuWorkBelow gpu_work_below(const Trace& trace, SliceId cpu_slice, const std::stop_token& stop = {});

}  // namespace kino
