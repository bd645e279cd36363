// A set of slices with one bit each: hits of a search, or slices that match an argument filter.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/base/ids.hpp"

namespace kino {

/// Takes 1/8 byte per slice. Threads may read at the same time, and may insert into different blocks of 64.
class SliceSet {
 public:
  explicit SliceSet(std::size_t slice_count = 0) : words_((slice_count + 63) / 64), size_(slice_count) {}

  /// Returns the number of slices that the set can contain.
  std::size_t size() const { return size_; }
  void insert(std::uint32_t slice) { words_[slice / 64] |= std::uint64_t{1} << (slice % 64); }
  /// Adds the slices of the set bits: bit b is slice 64 * word + b.
  void insert_word(std::size_t word, std::uint64_t bits) { words_[word] |= bits; }
  std::uint64_t word(std::size_t index) const { return words_[index]; }
  std::size_t word_count() const { return words_.size(); }
  bool contains(std::uint32_t slice) const { return (words_[slice / 64] >> (slice % 64) & 1U) != 0; }
  /// Returns the first slice of the set in [first, last), or `last`. O((last - first) / 64).
  std::uint32_t first_in(std::uint32_t first, std::uint32_t last) const {
    if (first >= last) return last;
    std::uint32_t word = first / 64;
    std::uint64_t bits = words_[word] & ~std::uint64_t{0} << (first % 64);
    while (bits == 0 && (word + 1) * 64 < last) bits = words_[++word];
    if (bits == 0) return last;
    return std::min(last, word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
  }
  /// Returns the number of slices in the set. O(size / 64).
  std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : words_) sum += static_cast<std::uint64_t>(std::popcount(word));
    return sum;
  }
  bool operator==(const SliceSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace kino
