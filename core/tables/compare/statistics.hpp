// Statistical tests on two sets of samples: deterministic, and exact for small sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kino {

/// Threshold on p or q for a significant difference.
inline constexpr double kSignificant = 0.05;

/// Returns the two-sided p of the Mann-Whitney U test. It is exact for up to 20 values per side without ties.
/// Otherwise it is the normal approximation, corrected for ties and continuity. 1 if a side is empty or all
/// values are equal. O(n log n). An exact test costs O(nA^2 nB^2) more if the thread's previous one had other
/// sizes.
double mann_whitney_p(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// Returns mean(b) / mean(a) - 1. NaN if a list is empty or the mean of `a` is 0.
double change_of_means(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

struct ChangeInterval {
  double low = 0;
  double high = 0;
};
/// Returns the 95 % percentile bootstrap interval of change_of_means(): 10,000 resamples, drawn by splitmix64
/// from seed 1. Both sides must have values. O(10,000 n).
ChangeInterval bootstrap_change(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// Returns the smallest change that the test finds with 80 % probability. This is 2.8 standard errors of the
/// difference of means, as a share of the mean of `a`. NaN for fewer than two values per side.
double detectable_change(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// Returns the q-values of Benjamini and Hochberg, in the order of `p`. O(n log n).
std::vector<double> false_discovery_rates(std::span<const double> p);

/// Returns the two-sided p of the sign-flip test on paired differences. It is exact for up to 16 pairs. For
/// more pairs, it is estimated from 10,000 random flips (splitmix64 from seed 2). Both sides must have the
/// same number of values.
double sign_flip_p(std::span<const std::int64_t> a, std::span<const std::int64_t> b);
/// Like bootstrap_change(), but resamples pairs (splitmix64 from seed 3).
ChangeInterval bootstrap_pairs(std::span<const std::int64_t> a, std::span<const std::int64_t> b);
/// Computes bootstrap_pairs() for many lists of equal length from one set of draws.
class PairResampler {
 public:
  explicit PairResampler(std::size_t pairs);
  std::size_t pairs() const { return pairs_; }
  /// Returns bootstrap_pairs(a, b). Both lists must have pairs() values.
  ChangeInterval interval(std::span<const std::int64_t> a, std::span<const std::int64_t> b) const;

 private:
  std::size_t pairs_ = 0;
  std::vector<std::uint16_t> counts_;  // number of draws of each pair, by resample
};
/// Returns Pearson's correlation; NaN if a list has no variance.
double correlation(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

}  // namespace kino
