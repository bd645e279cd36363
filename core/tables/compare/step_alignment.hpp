// Alignment of equal work of two steps, for the joint display of their timelines.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/tables/compare/step_outline.hpp"

namespace kino {

/// Corresponding nodes of two steps; one of them may be kNone.
struct AlignedNode {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::uint32_t a = kNone;  ///< index into the nodes of A's outline at this depth
  std::uint32_t b = kNone;
  bool replaced = false;  ///< whether the names differ but the place is the same: B uses another kernel for
                          ///< the same operator
};

/// Aligned nodes by depth, each list in order of time.
using StepAlignment = std::array<std::vector<AlignedNode>, kStepDepthCount>;

/// Aligns two steps. Joins phases by kind, then the operators of joined phases by name, then the work of
/// joined operators by name. The order of nodes is kept. If equally many other pieces of work remain on both
/// sides between two joined pieces of an operator's work, they are joined as `replaced`. Children of an
/// unmatched node are unmatched. O(n log n), and O(n m) for lists of up to kMaxCells pairs.
StepAlignment align_steps(const Trace& trace_a, const StepOutline& a, const Trace& trace_b,
                          const StepOutline& b, const std::stop_token& stop = {});

/// Returns pairs of indices of equal values, in the order of both lists: a longest common subsequence. Long
/// lists are aligned approximately: if |a| * |b| without the common prefix and suffix exceeds kMaxCells, a
/// value's k-th occurrence in `a` is joined only with its k-th in `b`.
std::vector<std::pair<std::uint32_t, std::uint32_t>> joined_in_order(std::span<const std::uint32_t> a,
                                                                     std::span<const std::uint32_t> b);
inline constexpr std::size_t kMaxCells = 4'000'000;

}  // namespace kino
