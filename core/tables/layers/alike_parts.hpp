// Finds parts of a kernel sequence that are alike, for models whose layers differ. The result is a guess:
// alike parts are not necessarily layers.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/tables/layers/kernel_sequence.hpp"
#include "core/tables/layers/odd_copies.hpp"

namespace kino {

/// Minimum number of consecutive parts. At least one pass must have this many parts that are each followed by
/// another occurrence of the symbol.
inline constexpr std::uint32_t kLeastAlikeParts = 6;

/// Returns stacks of alike parts, by descending time and without overlap. Parts begin at the occurrences of
/// one symbol. Two parts are alike if the shorter one, plus 2 symbols, has at least three quarters of the
/// length of the longer one, and their symbols agree (Dice coefficient of at least 0.7). The counts of the 15
/// symbols with the most time are compared individually; all other symbols share one count. Each part needs
/// at least kLeastBodyKernels kernels and kLeastBodySymbols different symbols. A pass may contain single
/// unlike parts, but not two in a row. The symbol does not mark the end of the last part. This end is placed
/// where the last part agrees best with the part of median length. If the Dice coefficient is then below 0.6,
/// the last part is omitted. `before_ns[i]` is the summed duration of all units before unit i; the last
/// element is the total. O(units * 64 types) at most.
std::vector<NameStack> alike_stacks(std::span<const SymbolUnit> units,
                                    std::span<const std::int64_t> before_ns,
                                    const std::stop_token& stop = {});

}  // namespace kino
