// Finds the flow arrows of a slice: launches, links between forward and backward operators, and chains of
// other flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

/// A selection of `total` arrows.
struct FlowArrows {
  std::vector<FlowArrow> arrows;
  std::uint64_t total = 0;
  bool more = false;  ///< true if there are too many arrows to count; `total` is a lower bound then
};

/// Returns at most `most` arrows, evenly spaced in their order, including the first and the last.
std::vector<FlowArrow> thinned(std::vector<FlowArrow> arrows, std::size_t most);

/// Returns the arrows of `slice`, sorted by their target's start: its own flows, followed in both directions;
/// its launch; and all GPU work launched within it. If it has no flows, the flows of its nearest ancestor
/// with flows are included, together with the launches at their other ends. Keeps at most `most` arrows.
/// Visits at most two million slices below `slice`, about 3 ns each.
FlowArrows chain_of(const Trace& trace, SliceId slice, std::size_t most);

/// Returns at most `most` arrows that start or end in `view` on one of `rows`. Panning does not change the
/// selection. O(rows * (log slices + most)).
FlowArrows arrows_in_view(const Trace& trace, std::span<const RowId> rows, TimeRange view, std::size_t most);

/// Returns the other end of the slice's flow: a launch's first GPU work, or GPU work's launch; for an
/// operator, its first GPU work or its backward operator. kNoSlice if there is none.
SliceId follow_flow_forward(const Trace& trace, SliceId slice);
/// Returns the slice from which the slice's flow comes: the launch of GPU work, the forward operator of a
/// backward operator, or the operator of a launch. kNoSlice if there is none.
SliceId follow_flow_backward(const Trace& trace, SliceId slice);

}  // namespace kino
