// Finds layer copies that the chains of equal copies do not contain: passes of odd copies, and odd copies at
// the ends of passes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tables/layers/anchor_chains.hpp"
#include "core/tables/layers/kernel_sequence.hpp"

namespace kino {

/// A stack found by names. Positions are indices of units in its sequence.
struct NameStack {
  std::uint32_t period = 0;
  std::uint32_t body = 0;  ///< first unit of a copy with the most common symbols
  std::int32_t slack = 0;
  std::vector<std::vector<std::uint32_t>> passes;  ///< first units of the copies, and end of the last
};

bool is_taken(const std::vector<bool>& taken, std::uint32_t first, std::uint32_t end);
void mark_taken(std::vector<bool>& taken, std::uint32_t first, std::uint32_t end);

/// Adds passes of at least two odd copies in units that no stack has taken. A copy extends between two
/// occurrences of a symbol that the body contains once, if their distance is about the period and the copy
/// has at least 60 % of the body's symbols. Tries at most four symbols. O(units).
void adopt_odd_passes(std::span<const SymbolUnit> units, std::vector<bool>& taken, NameStack& stack);

/// Extends each pass by odd copies at its ends, up to a third shorter or longer than the body, and joins
/// passes that touch. O((passes + added copies) * period log period).
void grow_passes(std::span<const SymbolUnit> units, std::vector<bool>& taken, NameStack& stack);

}  // namespace kino
