// Multisets of tensor sizes: how often one holds another, and what number of layers its counts tell of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace kino {

/// How many there are of each size.
using SizeCounts = std::map<std::uint64_t, std::uint64_t>;
std::uint64_t count_in(const SizeCounts& sizes, std::uint64_t size);
std::uint64_t tensors_of(const SizeCounts& sizes);
std::uint64_t bytes_of(const SizeCounts& sizes);
/// Half of each count; nothing when one of them is odd.
std::optional<SizeCounts> half_of(const SizeCounts& sizes);

struct SizeCopies {
  std::uint64_t copies = 0;  ///< 0: it holds none
  double exact_share = 0;    ///< of the reference's bytes in sizes of which there are exactly so many
};
/// How many times `sizes` holds `reference`: the most of which it has enough for 95 % of the bytes; none when
/// too few of the sizes fit exactly to be no coincidence. O(sizes * log).
SizeCopies copies_in(const SizeCounts& sizes, const SizeCounts& reference);

/// The number of layers that the counts of the repeated sizes are multiples of, 0 when none is: the most of
/// at least 4. O(sizes * most count).
std::uint64_t layers_in(const SizeCounts& sizes);
/// Whether `count` of a size is that of `layers` equal layers, and one besides (of small ones two).
bool fits_layers(std::uint64_t size, std::uint64_t count, std::uint64_t layers);

/// 3 or 4 when `sizes` is so many equal sets, but for a hundredth of the bytes; else 0.
std::uint64_t equal_sets_in(const SizeCounts& sizes);

}  // namespace kino
