// Multisets of tensor sizes: how often one contains another, and the number of layers that its counts imply.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace kino {

/// Number of tensors by size.
using SizeCounts = std::map<std::uint64_t, std::uint64_t>;
std::uint64_t count_in(const SizeCounts& sizes, std::uint64_t size);
std::uint64_t tensor_sizes_of(const SizeCounts& sizes);
std::uint64_t bytes_of(const SizeCounts& sizes);
/// Returns half of each count; nullopt if one is odd.
std::optional<SizeCounts> half_of(const SizeCounts& sizes);

struct SizeCopies {
  std::uint64_t copies = 0;  ///< 0: it contains none
  double exact_share = 0;    ///< of the reference's bytes in sizes with exactly `copies` times its count
};
/// Returns how many times `sizes` contains `reference`: the largest number with enough tensors for 95 % of
/// the bytes; none if too few sizes match exactly. O(sizes * log).
SizeCopies copies_in(const SizeCounts& sizes, const SizeCounts& reference);

/// Returns the largest number of layers of at least 4 of which the counts of repeated sizes are multiples; 0
/// if there is none. O(sizes * largest count).
std::uint64_t layers_in(const SizeCounts& sizes);
/// Returns whether `count` fits `layers` equal layers, plus one extra tensor (two for small sizes).
bool fits_layers(std::uint64_t size, std::uint64_t count, std::uint64_t layers);

/// Returns 3 or 4 if `sizes` consists of that many equal sets, except for 1 % of the bytes; else 0.
std::uint64_t equal_sets_in(const SizeCounts& sizes);

}  // namespace kino
