#include "core/tables/compare/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace kino {
namespace {

constexpr std::size_t kMaxExact = 20;
constexpr std::size_t kMaxPairs = 16;
constexpr std::size_t kResamples = 10'000;
// The bounds of the interval are the 250th and the 9,750th of the sorted resamples.
constexpr std::size_t kLowEntry = 249;
constexpr std::size_t kHighEntry = 9'749;
constexpr std::uint64_t kPairSeed = 3;
constexpr double kPowerFactor = 2.8;  // for 80 % power at 5 %: 1.96 + 0.84

/// Vigna's random number generator splitmix64.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>((next() >> 33U) % count); }

 private:
  std::uint64_t state_;
};

double sum_of(std::span<const std::int64_t> values) {
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return sum;
}

double mean_of(std::span<const std::int64_t> values) {
  return sum_of(values) / static_cast<double>(values.size());
}

/// Twice the rank sum of A, and the tie term sum(t^3 - t).
struct RankSum {
  std::int64_t twice_of_a = 0;
  double ties = 0;
};

RankSum rank_sum(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  std::vector<std::pair<std::int64_t, bool>> all;
  for (const std::int64_t value : a) all.emplace_back(value, true);
  for (const std::int64_t value : b) all.emplace_back(value, false);
  std::ranges::sort(all);
  RankSum out;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    std::int64_t of_a = 0;
    while (end < all.size() && all[end].first == all[begin].first) of_a += all[end++].second ? 1 : 0;
    const auto count = static_cast<double>(end - begin);
    out.ties += count * count * count - count;
    out.twice_of_a +=
        of_a * static_cast<std::int64_t>(begin + 1 + end);  // twice the mean of begin + 1 .. end
    begin = end;
  }
  return out;
}

/// Cumulative distribution of U for samples without ties. Exact in doubles: the 1.4e11 arrangements of 20 v
/// 20 are below 2^53.
struct ExactU {
  std::size_t a = 0;
  std::size_t b = 0;
  std::vector<double> share;  ///< share of arrangements whose U is at most the index

  void make(std::size_t count_a, std::size_t count_b) {
    if (a == count_a && b == count_b) return;
    a = count_a;
    b = count_b;
    // counts[i][u] is the number of arrangements of i values of A and j of B with this U. If the largest
    // value is from A, it adds j to U; if it is from B, it adds nothing.
    std::vector<std::vector<double>> counts(a + 1, std::vector<double>(a * b + 1, 0));
    for (auto& row : counts) row[0] = 1;
    for (std::size_t j = 1; j <= b; ++j) {
      for (std::size_t i = 1; i <= a; ++i) {
        for (std::size_t u = j; u <= i * j; ++u) counts[i][u] += counts[i - 1][u - j];
      }
    }
    share = std::move(counts[a]);
    std::partial_sum(share.begin(), share.end(), share.begin());
    const double all = share.back();
    for (double& entry : share) entry /= all;
  }
};

ChangeInterval interval_of(std::vector<double>& changes) {
  std::ranges::sort(changes);
  return {changes[kLowEntry], changes[kHighEntry]};
}

}  // namespace

double mann_whitney_p(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  if (a.empty() || b.empty()) return 1;
  const RankSum ranks = rank_sum(a, b);
  const auto count_a = static_cast<std::int64_t>(a.size());
  const auto count_b = static_cast<std::int64_t>(b.size());
  const std::int64_t twice_u = ranks.twice_of_a - count_a * (count_a + 1);
  const std::int64_t twice_least = std::min(twice_u, 2 * count_a * count_b - twice_u);
  if (ranks.ties == 0 && a.size() <= kMaxExact && b.size() <= kMaxExact) {
    thread_local ExactU exact;  // shared by all rows of a comparison
    exact.make(a.size(), b.size());
    return std::min(1.0, 2 * exact.share[static_cast<std::size_t>(twice_least / 2)]);
  }
  const auto n = static_cast<double>(count_a + count_b);
  const double product = static_cast<double>(count_a) * static_cast<double>(count_b);
  const double variance = product / 12 * (n + 1 - ranks.ties / (n * (n - 1)));
  if (!(variance > 0)) return 1;
  const double distance = std::max(0.0, product / 2 - static_cast<double>(twice_least) / 2 - 0.5);
  return std::min(1.0, std::erfc(distance / std::sqrt(variance) / std::sqrt(2.0)));
}

double change_of_means(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  const double mean = a.empty() || b.empty() ? 0 : mean_of(a);
  return mean == 0 ? std::numeric_limits<double>::quiet_NaN() : mean_of(b) / mean - 1;
}

ChangeInterval bootstrap_change(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  SplitMix random(1);
  std::vector<double> changes(kResamples);
  const auto drawn_mean = [&random](std::span<const std::int64_t> values) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      sum += static_cast<double>(values[random.below(values.size())]);
    return sum / static_cast<double>(values.size());
  };
  for (double& change : changes) {
    const double mean_a = drawn_mean(a);
    change = drawn_mean(b) / mean_a - 1;
  }
  return interval_of(changes);
}

double detectable_change(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  if (a.size() < 2 || b.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto square_error = [](std::span<const std::int64_t> values) {
    const double mean = mean_of(values);
    double squares = 0;
    for (const std::int64_t value : values) {
      const double off = static_cast<double>(value) - mean;
      squares += off * off;
    }
    const auto count = static_cast<double>(values.size());
    return squares / (count - 1) / count;
  };
  return kPowerFactor * std::sqrt(square_error(a) + square_error(b)) / mean_of(a);
}

std::vector<double> false_discovery_rates(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> q(p.size());
  double least = 1;
  for (std::size_t rank = order.size(); rank-- > 0;) {
    least = std::min(least, p[order[rank]] * static_cast<double>(p.size()) / static_cast<double>(rank + 1));
    q[order[rank]] = least;
  }
  return q;
}

double sign_flip_p(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  std::vector<std::int64_t> differences;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences.push_back(b[i] - a[i]);
    sum += differences.back();
  }
  const std::int64_t observed = std::abs(sum);
  if (differences.empty()) return 1;
  std::uint64_t reached = 0;
  if (differences.size() <= kMaxPairs) {
    const std::uint64_t all = std::uint64_t{1} << differences.size();
    std::int64_t flipped = sum;
    std::uint64_t signs = 0;  // Gray code: one sign changes at a time
    for (std::uint64_t i = 0; i < all; ++i) {
      reached += std::abs(flipped) >= observed ? 1 : 0;
      const auto at = static_cast<std::size_t>(std::countr_zero(i + 1));
      if (at >= differences.size()) break;
      const bool negative = (signs >> at & 1U) != 0;
      flipped += negative ? 2 * differences[at] : -2 * differences[at];
      signs ^= std::uint64_t{1} << at;
    }
    return static_cast<double>(reached) / static_cast<double>(all);
  }
  SplitMix random(2);
  for (std::size_t i = 0; i < kResamples; ++i) {
    std::int64_t flipped = 0;
    for (const std::int64_t difference : differences)
      flipped += (random.next() >> 63U) != 0 ? difference : -difference;
    reached += std::abs(flipped) >= observed ? 1 : 0;
  }
  return static_cast<double>(reached + 1) / static_cast<double>(kResamples + 1);
}

ChangeInterval bootstrap_pairs(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  SplitMix random(kPairSeed);
  std::vector<double> changes(kResamples);
  for (double& change : changes) {
    double sum_a = 0;
    double sum_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t at = random.below(a.size());
      sum_a += static_cast<double>(a[at]);
      sum_b += static_cast<double>(b[at]);
    }
    change = sum_b / sum_a - 1;
  }
  return interval_of(changes);
}

PairResampler::PairResampler(std::size_t pairs) : pairs_(pairs), counts_(kResamples * pairs, 0) {
  SplitMix random(kPairSeed);
  for (std::size_t begin = 0; begin < counts_.size(); begin += pairs_) {
    for (std::size_t i = 0; i < pairs_; ++i) ++counts_[begin + random.below(pairs_)];
  }
}

ChangeInterval PairResampler::interval(std::span<const std::int64_t> a,
                                       std::span<const std::int64_t> b) const {
  std::vector<double> changes(kResamples);
  const std::uint16_t* count = counts_.data();
  for (double& change : changes) {
    double sum_a = 0;
    double sum_b = 0;
    for (std::size_t i = 0; i < pairs_; ++i, ++count) {
      sum_a += static_cast<double>(a[i]) * *count;
      sum_b += static_cast<double>(b[i]) * *count;
    }
    change = sum_b / sum_a - 1;
  }
  return interval_of(changes);
}

double correlation(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double both = 0;
  double of_a = 0;
  double of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double off_a = static_cast<double>(a[i]) - mean_a;
    const double off_b = static_cast<double>(b[i]) - mean_b;
    both += off_a * off_b;
    of_a += off_a * off_a;
    of_b += off_b * off_b;
  }
  return both / std::sqrt(of_a * of_b);
}

}  // namespace kino
