// Whether two sets of samples differ by more than noise: exact where that is possible, and the same each
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kino {

/// Below this p, or q, a difference is called one.
inline constexpr double kSignificant = 0.05;

/// The two-sided p of Mann and Whitney's U test: exact without ties up to 20 a side, else the normal
/// approximation with the corrections for ties and continuity. 1 when a side is empty, or all values are the
/// same. O(n log n), exact O(nA nB min(nA, nB)).
double mann_whitney_p(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// What a and b differ in, as a ratio: mean(b) / mean(a) - 1. NaN when a is empty or its mean is 0.
double change_of_means(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

struct ChangeInterval {
  double low = 0;
  double high = 0;
};
/// The 95 % percentile bootstrap of change_of_means(): 10,000 resamples, splitmix64 from seed 1. Needs values
/// on both sides. O(10,000 n).
ChangeInterval bootstrap_change(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// The smallest change that would be found in four of five cases: 2.8 standard errors of the difference of
/// the means, as a share of a's. NaN with fewer than two values on a side.
double detectable_change(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// q-values of Benjamini and Hochberg, in the order of `p`. O(n log n).
std::vector<double> false_discovery_rates(std::span<const double> p);

/// Of pairs: the exact two-sided p of all sign flips of the differences up to 16 pairs, above that of 10,000
/// drawn ones; and the interval by resampling pairs, splitmix64 from seed 3. Needs as
/// many of each.
double sign_flip_p(std::span<const std::int64_t> a, std::span<const std::int64_t> b);
ChangeInterval bootstrap_pairs(std::span<const std::int64_t> a, std::span<const std::int64_t> b);
/// bootstrap_pairs() for many lists of the same length: it draws once.
class PairResampler {
 public:
  explicit PairResampler(std::size_t pairs);
  std::size_t pairs() const { return pairs_; }
  /// Equal to bootstrap_pairs(a, b); both have pairs() values.
  ChangeInterval interval(std::span<const std::int64_t> a, std::span<const std::int64_t> b) const;

 private:
  std::size_t pairs_ = 0;
  std::vector<std::uint16_t> counts_;  // how often each resample drew each pair
};
/// Pearson's; NaN without variance.
double correlation(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

}  // namespace kino
