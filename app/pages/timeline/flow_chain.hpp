// Which flow arrows belong to a slice: launches and their GPU work, forward and backward, and everything else
// that is linked, as a chain in both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

enum class ArrowKind : std::uint8_t {
  launch,            ///< launching call -> GPU work
  forward_backward,  ///< autograd: forward -> backward operator
  other,
};

struct FlowArrow {
  SliceId from = kNoSlice;
  SliceId to = kNoSlice;
  ArrowKind kind = ArrowKind::other;
  bool operator==(const FlowArrow&) const = default;
};

/// Some of `total` arrows.
struct FlowArrows {
  std::vector<FlowArrow> arrows;
  std::uint64_t total = 0;
  bool more = false;  ///< `total` is a lower bound: there are too many to count at once
};

/// At most `most` of them, evenly over their order, with the first and the last.
std::vector<FlowArrow> thinned(std::vector<FlowArrow> arrows, std::size_t most);

/// The arrows of `slice`, ordered by where they point: its own flows as far as they lead both ways; its
/// launch; what it and the slices below it launch; and, where it has none itself, forward and backward of its
/// nearest ancestor, with what the other side launches. At most `most` are kept. Looks at up to two million
/// slices below it, about 3 ns each.
FlowArrows chain_of(const Trace& trace, SliceId slice, std::size_t most);

/// The arrows that begin or end in `view` on one of `rows`, at most `most`: the same ones while the view
/// pans. O(rows * (log slices + most)).
FlowArrows arrows_in_view(const Trace& trace, std::span<const RowId> rows, TimeRange view, std::size_t most);

/// The other end of the slice's flow: a launch's first GPU work, an operator's first GPU work or its backward
/// operator, GPU work's launch. kNoSlice when there is none.
SliceId flow_forth(const Trace& trace, SliceId slice);
/// Against the arrows: GPU work's launch, a backward operator's forward, a launch's operator. kNoSlice when
/// there is none.
SliceId flow_back(const Trace& trace, SliceId slice);

}  // namespace kino
