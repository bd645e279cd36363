// Multisets of tensor sizes: how many copies of one are in another, and how many layers the counts imply.
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
  std::uint64_t copies = 0;  ///< number of copies; 0: none
  double exact_share = 0;    ///< share of the reference's bytes whose sizes occur exactly `copies` times
};
/// Returns how many times `sizes` contains `reference`: the largest number for which the tensors suffice for
/// 95 % of the bytes. 0 copies if the reference has fewer than 8 tensors or fewer than two sizes, or if too
/// few sizes match exactly. O(sizes * log).
SizeCopies copies_in(const SizeCounts& sizes, const SizeCounts& reference);

/// Returns the largest number of layers, from 4 to 1000, that the counts of repeated sizes fit (see
/// fits_layers()). A tenth of their bytes may deviate. At least two sizes and 16 tensors must fit. 0 if there
/// is none. O(sizes * largest count).
std::uint64_t layers_in(const SizeCounts& sizes);
/// Returns whether `count` is a multiple of `layers`. If there are two or more tensors per layer, one extra
/// tensor is permitted, or two if the size is small.
bool fits_layers(std::uint64_t size, std::uint64_t count, std::uint64_t layers);

/// Returns 3 or 4 if `sizes` consists of that many equal sets; otherwise 0. Single tensors below 1 MiB do not
/// count, if they have at most 1 % of the bytes.
std::uint64_t equal_sets_in(const SizeCounts& sizes);

}  // namespace kino
