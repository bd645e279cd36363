// Statistical tests of two sets of samples: exact where possible, and deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kino {

/// Threshold on p or q for a significant difference.
inline constexpr double kSignificant = 0.05;

/// Two-sided p of the Mann-Whitney U test. Exact without ties up to 20 per side, else the normal
/// approximation with corrections for ties and continuity. 1 if a side is empty or all values are equal. O(n
/// log n), exact O(nA nB min(nA, nB)).
double mann_whitney_p(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// mean(b) / mean(a) - 1. NaN if a is empty or its mean is 0.
double change_of_means(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

struct ChangeInterval {
  double low = 0;
  double high = 0;
};
/// 95 % percentile bootstrap of change_of_means(): 10,000 resamples, splitmix64 from seed 1. Both sides must
/// have values. O(10,000 n).
ChangeInterval bootstrap_change(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// Smallest change found with 80 % probability: 2.8 standard errors of the difference of means, as a share of
/// a's mean. NaN with fewer than two values per side.
double detectable_change(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// q-values of Benjamini and Hochberg, in the order of `p`. O(n log n).
std::vector<double> false_discovery_rates(std::span<const double> p);

/// Two-sided p of sign flips of paired differences: exact up to 16 pairs, above that from 10,000 random flips
/// (splitmix64 from seed 2). Both sides must have the same number of values.
double sign_flip_p(std::span<const std::int64_t> a, std::span<const std::int64_t> b);
/// bootstrap_change() by resampling pairs, splitmix64 from seed 3.
ChangeInterval bootstrap_pairs(std::span<const std::int64_t> a, std::span<const std::int64_t> b);
/// bootstrap_pairs() for many lists of the same length, with one set of draws.
class PairResampler {
 public:
  explicit PairResampler(std::size_t pairs);
  std::size_t pairs() const { return pairs_; }
  /// Equals bootstrap_pairs(a, b). Both lists have pairs() values.
  ChangeInterval interval(std::span<const std::int64_t> a, std::span<const std::int64_t> b) const;

 private:
  std::size_t pairs_ = 0;
  std::vector<std::uint16_t> counts_;  // draws of each pair, by resample
};
/// Pearson's correlation; NaN without variance.
double correlation(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

}  // namespace kino
