// Which parts of two steps are the same work: what joins two timelines that stand one above the other.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/tables/compare/step_outline.hpp"

namespace kino {

/// A node of one step, and what stands for it in the other one; one of them may be none.
struct AlignedNode {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::uint32_t a = kNone;  ///< into the outline's nodes of that depth
  std::uint32_t b = kNone;
  bool replaced = false;  ///< other names at the same place: another kernel for the same operator
};

/// By depth, in order of time.
using StepAlignment = std::array<std::vector<AlignedNode>, kStepDepthCount>;

/// Phases are joined by what they are, the operators of joined phases and the work of joined operators by
/// their names, all in order. Work of a joined operator between two that are joined, and as much of it on
/// both sides, is `replaced`. What lies in a node that is alone is alone, too. O(n log n), and O(n m) for
/// lists of up to kMostCells pairs.
StepAlignment align_steps(const Trace& trace_a, const StepOutline& a, const Trace& trace_b,
                          const StepOutline& b, const std::stop_token& stop = {});

/// Pairs of equal values of two lists, in order in both: a longest common subsequence where |a| * |b| without
/// what is equal at both ends is at most kMostCells; else the k-th of a value is only joined with the k-th.
std::vector<std::pair<std::uint32_t, std::uint32_t>> joined_in_order(std::span<const std::uint32_t> a,
                                                                     std::span<const std::uint32_t> b);
inline constexpr std::size_t kMostCells = 4'000'000;

}  // namespace kino
