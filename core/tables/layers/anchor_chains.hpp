// Finds chains of equal segments between occurrences of one symbol or gram. Each segment is a candidate for
// one copy, which is one execution of a layer (README.md, "Terms").
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/tables/layers/kernel_sequence.hpp"

namespace kino {

/// Consecutive layer copies. Positions are indices of units in the sequence.
struct AnchorChain {
  std::uint64_t type = 0;    ///< equal for chains with the same period and multiset of symbols
  std::uint32_t first = 0;   ///< first unit of the first copy
  std::uint32_t end = 0;     ///< end of the last copy (exclusive)
  std::uint32_t period = 0;  ///< units per copy
  std::uint32_t copies = 0;
  std::uint32_t good = 0;  ///< copies whose symbols equal those of the body
  std::uint32_t body = 0;  ///< first unit of a good copy
  /// Kernels in the extensions beyond full copies. Negative if one copy is incomplete.
  std::int32_t slack = 0;
  std::uint32_t anchor = 0;  ///< index in AnchorSearch::places_ of the first segment of the chain
};

/// Prefix hashes of a sequence. They return the hash of any segment in O(1).
class SegmentSums {
 public:
  /// O(units).
  explicit SegmentSums(std::span<const SymbolUnit> units);

  /// Returns a hash of the ordered symbols in [first, end): a polynomial mod 2^61 - 1.
  std::uint64_t sequence(std::uint32_t first, std::uint32_t end) const;
  /// Returns a hash of the symbols in [first, end), regardless of their order.
  std::uint64_t multiset(std::uint32_t first, std::uint32_t end) const { return any_[end] - any_[first]; }

 private:
  static constexpr std::uint32_t kLowBits = 12;

  /// Returns the base to the power of `exponent`.
  std::uint64_t power(std::uint32_t exponent) const;

  std::vector<std::uint64_t> ordered_;
  std::vector<std::uint64_t> any_;
  std::vector<std::uint64_t> low_powers_;   // by the low bits of the exponent
  std::vector<std::uint64_t> high_powers_;  // by the other bits
};

/// Least number of kernels, and of different symbols, in the body of a layer.
inline constexpr std::uint32_t kLeastBodyKernels = 5;
inline constexpr std::uint32_t kLeastBodySymbols = 3;

/// Result of comparing a segment with a body: numbers of units, regardless of their order.
struct SegmentOverlap {
  std::uint32_t common = 0;
  std::uint32_t foreign = 0;  ///< units of the segment that the body does not contain
};

/// Compares segments with a body. Takes 4 bytes per symbol.
class BodyCounter {
 public:
  BodyCounter() = default;
  explicit BodyCounter(std::span<const SymbolUnit> body) { set(body); }

  /// Changes the body. O(units of both bodies).
  void set(std::span<const SymbolUnit> body);
  /// Compares a segment. O(units of the segment).
  SegmentOverlap compare(std::span<const SymbolUnit> segment);
  /// Removes a unit from the body. Returns whether the body contained it.
  bool take(std::uint32_t symbol) {
    if (symbol >= left_.size() || left_[symbol] == 0) return false;
    --left_[symbol];
    return true;
  }
  /// Adds a unit that take() removed.
  void put_back(std::uint32_t symbol) { ++left_[symbol]; }

 private:
  std::vector<std::uint32_t> left_;   // by symbol
  std::vector<std::uint32_t> body_;   // symbols of the body
  std::vector<std::uint32_t> found_;  // scratch
};

/// Finds the chains of a sequence. For each q-gram (q consecutive symbols), segments extend from one
/// occurrence to the next. The most common segments of a gram, at most four, are tried as bodies. Segments
/// equal to the body are good. A chain contains at least 75 % good segments, and at most two similar odd
/// segments in a row. Chains are extended at both ends while symbols repeat with the period. This is
/// ScalaTrace's loop folding, extended to sequences that are almost regular.
class AnchorSearch {
 public:
  /// `units` and `sums` must outlive this object.
  AnchorSearch(std::span<const SymbolUnit> units, const SegmentSums& sums) : units_(units), sums_(sums) {}

  /// Appends the chains of all grams of `length` symbols (1, 2 or 4). O(units + grams log grams).
  void find(std::uint32_t length, std::vector<AnchorChain>& chains, const std::stop_token& stop = {});
  /// Returns the first unit of each copy, and the end of the last copy.
  std::vector<std::uint32_t> starts(const AnchorChain& chain) const;

 private:
  struct Template {
    std::uint64_t key = 0;
    std::uint32_t count = 0;
    std::uint32_t segment = 0;
  };

  /// Appends the occurrences of all grams to places_. Returns the end of the occurrences of each gram.
  std::vector<std::size_t> list_occurrences(std::uint32_t length);
  std::vector<std::size_t> list_symbols();
  /// Sets keys_ to the hashes of the segments [from, to), and templates_ to the most common segments.
  void find_templates(std::uint32_t from, std::uint32_t to);
  void walk(std::uint32_t from, std::uint32_t to, const Template& body, std::vector<AnchorChain>& chains);
  void emit(std::uint32_t first, std::uint32_t last, std::uint32_t good, std::uint32_t body,
            std::uint32_t period, std::vector<AnchorChain>& chains);
  bool is_odd_copy(std::uint32_t body, std::uint32_t segment, std::uint32_t period);
  bool is_body(std::uint32_t first, std::uint32_t end) const;
  std::uint32_t length_at(std::uint32_t segment) const { return places_[segment + 1] - places_[segment]; }

  std::span<const SymbolUnit> units_;
  const SegmentSums& sums_;
  std::vector<std::uint32_t> places_;  // first units of the occurrences of all grams, grouped by gram
  std::vector<std::uint64_t> keys_;    // hashes of the current gram's segments, up to the next occurrence
  std::vector<Template> templates_;    // templates of the current gram
  std::vector<std::uint32_t> slots_;   // scratch of find_templates(): hash table of templates_
  BodyCounter counter_;
  std::uint32_t counted_body_ = kNoBody;  // body and period of counter_
  std::uint32_t counted_period_ = 0;
  std::size_t compared_ = 0;

  static constexpr std::uint32_t kNoBody = 0xffffffffU;
};

}  // namespace kino
