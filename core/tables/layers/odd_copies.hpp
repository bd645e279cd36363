// Copies of a layer that the chains of equal copies do not contain: passes of odd copies, and odd ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tables/layers/anchor_chains.hpp"
#include "core/tables/layers/kernel_sequence.hpp"

namespace kino {

/// A stack in units of its sequence.
struct NameStack {
  std::uint32_t period = 0;
  std::uint32_t body = 0;  ///< first unit of one copy
  std::int32_t slack = 0;
  std::vector<std::vector<std::uint32_t>> passes;  ///< first units of the copies, and the end of the last one
};

bool is_taken(const std::vector<bool>& taken, std::uint32_t first, std::uint32_t end);
void take(std::vector<bool>& taken, std::uint32_t first, std::uint32_t end);

/// Adds passes of odd copies: in units that no stack has taken, occurrences of a symbol that the body
/// contains once, at the distance of the period, with at least 60 % of the body's symbols. O(units).
void adopt_odd_passes(std::span<const SymbolUnit> units, const AnchorSearch& search, std::vector<bool>& taken,
                      NameStack& stack);

/// Extends each pass by odd copies at its ends, up to a third shorter or longer than the body, and joins
/// passes that touch. O(passes period^2).
void grow_passes(std::span<const SymbolUnit> units, std::vector<bool>& taken, NameStack& stack);

}  // namespace kino
