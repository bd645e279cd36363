// Alignment of the equal work of two steps, which joins their timelines.
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

  std::uint32_t a = kNone;  ///< index into the outline's nodes of that depth
  std::uint32_t b = kNone;
  bool replaced = false;  ///< different names at the same place: another kernel for the same operator
};

/// By depth, each in order of time.
using StepAlignment = std::array<std::vector<AlignedNode>, kStepDepthCount>;

/// Joins phases by their kind, the operators of joined phases by name, and the work of joined operators by
/// name, all in order. Between two joined pieces of work of an operator, equal numbers of other work are
/// `replaced`. Children of an unmatched node are unmatched. O(n log n), and O(n m) for lists of up to
/// kMaxCells pairs.
StepAlignment align_steps(const Trace& trace_a, const StepOutline& a, const Trace& trace_b,
                          const StepOutline& b, const std::stop_token& stop = {});

/// Pairs of equal values of two lists, in the order of both: a longest common subsequence. If, without a
/// common prefix and suffix, |a| * |b| exceeds kMaxCells, only the k-th occurrences of a value are joined.
std::vector<std::pair<std::uint32_t, std::uint32_t>> joined_in_order(std::span<const std::uint32_t> a,
                                                                     std::span<const std::uint32_t> b);
inline constexpr std::size_t kMaxCells = 4'000'000;

}  // namespace kino
