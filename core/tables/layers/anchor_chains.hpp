// Chains of equal segments between occurrences of one symbol: candidates for the copies of a layer.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/tables/layers/kernel_sequence.hpp"

namespace kino {

/// Copies in a row, in units of the sequence.
struct AnchorChain {
  std::uint64_t type = 0;    ///< equal for chains of one period and one multiset of symbols
  std::uint32_t first = 0;   ///< first unit of the first copy
  std::uint32_t end = 0;     ///< end of the last copy
  std::uint32_t period = 0;  ///< units per copy
  std::uint32_t copies = 0;
  std::uint32_t good = 0;  ///< copies with the most common symbols
  std::uint32_t body = 0;  ///< first unit of one of these
  std::int32_t slack =
      0;  ///< kernels of the extensions beyond full copies; negative if the last copy lacks some
  std::uint32_t anchor = 0;  ///< index of the first occurrence, see AnchorSearch::starts()
};

/// Sums of a sequence up to each unit, for segments in O(1).
class SegmentSums {
 public:
  /// O(units).
  explicit SegmentSums(std::span<const SymbolUnit> units);

  /// Identifies the symbols in their order: a polynomial mod 2^61 - 1.
  std::uint64_t sequence(std::uint32_t first, std::uint32_t end) const;
  /// Identifies the symbols in any order.
  std::uint64_t multiset(std::uint32_t first, std::uint32_t end) const { return any_[end] - any_[first]; }

 private:
  std::vector<std::uint64_t> ordered_;
  std::vector<std::uint64_t> powers_;
  std::vector<std::uint64_t> any_;
};

/// Smallest body of a layer.
inline constexpr std::uint32_t kLeastBodyKernels = 5;
inline constexpr std::uint32_t kLeastBodySymbols = 3;

/// How many symbols two segments have in common.
struct SegmentOverlap {
  std::uint32_t common = 0;
  std::uint32_t foreign = 0;  ///< of the other segment, not in the body
};

/// Finds the chains of a sequence by occurrences of its q-grams. Segments equal to a common one are good. Up
/// to two in a row may be odd, but at least 75 % of a chain are good. Chains are extended at both ends while
/// symbols repeat with the period. The idea is ScalaTrace's loop folding, for sequences that are almost
/// regular.
class AnchorSearch {
 public:
  /// `units` and `sums` must outlive it.
  AnchorSearch(std::span<const SymbolUnit> units, const SegmentSums& sums) : units_(units), sums_(sums) {}

  /// Appends the chains of grams of `length` symbols (1, 2 or 4). O(units log units).
  void find(std::uint32_t length, std::vector<AnchorChain>& chains, const std::stop_token& stop = {});
  /// First units of the copies, and the end of the last one.
  std::vector<std::uint32_t> starts(const AnchorChain& chain) const;
  /// Compares a segment with a body. O(n log n).
  SegmentOverlap overlap(std::uint32_t body, std::uint32_t body_end, std::uint32_t first,
                         std::uint32_t end) const;

 private:
  struct Template {
    std::uint64_t key = 0;
    std::uint32_t count = 0;
    std::uint32_t segment = 0;
  };

  /// Appends the occurrences of all grams to places_; returns the end of each gram's.
  std::vector<std::size_t> list_occurrences(std::uint32_t length);
  void walk(std::uint32_t from, std::uint32_t to, const Template& body, std::vector<AnchorChain>& chains);
  void emit(std::uint32_t first, std::uint32_t last, std::uint32_t good, std::uint32_t body,
            std::uint32_t period, std::vector<AnchorChain>& chains);
  bool is_odd_copy(std::uint32_t body, std::uint32_t segment, std::uint32_t period);
  bool is_body(std::uint32_t first, std::uint32_t end) const;
  std::uint32_t length_at(std::uint32_t segment) const { return places_[segment + 1] - places_[segment]; }

  std::span<const SymbolUnit> units_;
  const SegmentSums& sums_;
  std::vector<std::uint32_t> places_;  // occurrences of all grams, by gram
  std::vector<std::uint64_t> keys_;    // by place: of the segment to the next occurrence
  std::size_t compared_ = 0;
};

}  // namespace kino
