// Finds the flow arrows of a slice: launches, links between forward and backward operators, and chains of
// other flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/pages/timeline/pointing/chain_outline.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class ArrowKind : std::uint8_t {
  launch,            ///< from a launching call to its GPU work
  forward_backward,  ///< from an autograd forward operator to its backward operator
  other,
};

struct FlowArrow {
  SliceId from = kNoSlice;
  SliceId to = kNoSlice;
  ArrowKind kind = ArrowKind::other;
  bool operator==(const FlowArrow&) const = default;
};

/// Some or all of `total` arrows.
struct FlowArrows {
  std::vector<FlowArrow> arrows;
  std::uint64_t total = 0;
  bool more = false;  ///< whether arrows were not counted, so that `total` is a lower bound
};

/// Returns at most `most` arrows, evenly spaced in their order: the first and, if `most` is not 1, the last
/// are included.
std::vector<FlowArrow> thinned(std::vector<FlowArrow> arrows, std::size_t most);

/// Returns at most `most` arrows of `slice`, sorted by the start of their targets:
/// - GPU work has an arrow from its launch, and the flows of its launch.
/// - Another slice has arrows to the GPU work that was launched by it or within it, and its flows. If it
///   has no flows, it has those of its nearest ancestor with flows.
/// Flows are followed over up to 256 slices in each direction. If they reach at most 8 slices, the GPU work
/// launched by or within these slices is included. Each search for launches within a slice visits at most two
/// million slices, about 3 ns each.
FlowArrows chain_of(const Trace& trace, SliceId slice, std::size_t most);

/// Returns at most `most` arrows of slices that start in `view` on one of `rows`. Omits slices and flows if
/// there are too many, and selects them so that panning hardly changes the selection. O(rows * (log slices +
/// most)).
FlowArrows arrows_in_view(const Trace& trace, std::span<const RowId> rows, TimeRange view, std::size_t most);

/// Returns the slices that are connected with `slice` by launches. For GPU work, these are the launch call
/// and the innermost operator and module call around it. For a launch call, its GPU work replaces the call.
/// Other CPU slices have the first launch below them, GPU work of launches below them, and their own callers.
/// Visits at most 4,096 slices below `slice`, so that it can be called in each frame.
ConnectedSlices connected_slices(const Trace& trace, SliceId slice);

/// Returns the other end of the slice's flow. For a launch, this is its first GPU work; for GPU work, its
/// launch. For an operator, it is its first GPU work, or else the target or source of its flow. kNoSlice if
/// there is none.
SliceId follow_flow_forward(const Trace& trace, SliceId slice);
/// Returns the slice from which the slice's flow comes. For GPU work, this is its launch. For other slices,
/// it is the source of a flow to the slice. Without such a flow, it is the parent of a runtime call, and else
/// the source of a flow to the nearest ancestor with flows. kNoSlice if there is none.
SliceId follow_flow_backward(const Trace& trace, SliceId slice);

}  // namespace kino
