// Finds the flow arrows of a slice: launches, forward and backward, and chains of other flows.
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
  bool more = false;  ///< if true, `total` is a lower bound because there are too many to count
};

/// Returns at most `most` arrows, evenly spaced in their order, including the first and the last.
std::vector<FlowArrow> thinned(std::vector<FlowArrow> arrows, std::size_t most);

/// Returns the arrows of `slice`, sorted by their target's start: its own flows, followed in both directions;
/// its launch; and all GPU work launched within it. Without flows of its own, the flows of its nearest
/// ancestor that has some are included, with the launches of their other ends. Keeps at most `most`. Visits
/// at most two million slices below it, about 3 ns each.
FlowArrows chain_of(const Trace& trace, SliceId slice, std::size_t most);

/// Returns at most `most` arrows that begin or end in `view` on one of `rows`. Panning does not change the
/// selection. O(rows * (log slices + most)).
FlowArrows arrows_in_view(const Trace& trace, std::span<const RowId> rows, TimeRange view, std::size_t most);

/// Returns the other end of the slice's flow: a launch's first GPU work, or GPU work's launch; for an
/// operator, its first GPU work or its backward operator. kNoSlice if there is none.
SliceId follow_flow_forward(const Trace& trace, SliceId slice);
/// Follows arrows backwards: to GPU work's launch, a backward operator's forward, or a launch's operator.
SliceId follow_flow_backward(const Trace& trace, SliceId slice);

}  // namespace kino
