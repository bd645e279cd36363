#include "core/job/shift_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/tables/compare/median.hpp"

namespace kino {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kMostApart = 1e10;
constexpr double kCertain = 10;
constexpr std::size_t kFewItems = 512;
// For long lists, all shifts are measured at 5 items. The best of them are measured again, in turn at 16,
// about 64 and about 512 items.
constexpr std::size_t kFirstSamples = 5;
constexpr std::size_t kFirstSifted = 4096;
constexpr std::size_t kRoughSamples = 16;
constexpr std::size_t kRoughSifted = 512;
constexpr std::size_t kSamples = 64;
constexpr std::size_t kSifted = 32;
constexpr std::size_t kManySamples = 512;
// With fitted clocks, the right shift is at most this far from the expected one.
constexpr double kNear = 50e6;
// With fitted clocks, a certain shift is accepted if it is at most this far from the expected one.
constexpr double kAsExpected = 1e6;

class ShiftSearch {
 public:
  ShiftSearch(const CommunicationList& reference, const CommunicationList& list,
              const SignatureConflicts& conflict, std::optional<double> expected_ns)
      : reference_(reference), list_(list), conflict_(conflict), expected_ns_(expected_ns) {}

  std::optional<ShiftChoice> run() {
    if (expected_ns_ && sifts()) {
      near_ = true;
      const std::optional<ShiftChoice> choice = search();
      if (choice && choice->certain && std::abs(choice->best.median_ns - *expected_ns_) < kAsExpected)
        return choice;
      near_ = false;
    }
    return search();
  }

 private:
  bool sifts() const { return std::min(reference_.size(), list_.size()) > kFewItems; }

  std::optional<ShiftChoice> search() const {
    const std::size_t shorter = std::min(reference_.size(), list_.size());
    if (shorter == 0) return std::nullopt;
    const double least = std::max(3.0, static_cast<double>(shorter) / 4);
    std::vector<ListShift> candidates = measured(least);
    const bool long_enough = !candidates.empty();
    if (!long_enough) candidates = measured(1);
    if (candidates.empty()) return std::nullopt;
    ShiftChoice choice{candidates.front(), long_enough, long_enough};
    for (const ListShift& candidate : candidates) {
      if (advantage(candidate, choice.best) > 0) choice.best = candidate;
    }
    for (const ListShift& candidate : candidates) {
      if (candidate.shift != choice.best.shift && advantage(choice.best, candidate) < kCertain)
        choice.certain = false;
    }
    return choice;
  }

  /// Returns the log likelihood ratio of the first shift over the second.
  double advantage(const ListShift& a, const ListShift& b) const {
    double sum = static_cast<double>(std::min(a.overlap, b.overlap)) *
                 std::log((b.deviation_ns + kNsPerUs) / (a.deviation_ns + kNsPerUs));
    sum += 2 * std::log((kNsPerMs + std::abs(b.median_ns)) / (kNsPerMs + std::abs(a.median_ns)));
    sum += 20 * ((a.steps_agree ? 1 : 0) - (b.steps_agree ? 1 : 0));
    if (expected_ns_) {
      sum += 8 * std::log((20 * kNsPerUs + std::abs(b.median_ns - *expected_ns_)) /
                          (20 * kNsPerUs + std::abs(a.median_ns - *expected_ns_)));
    }
    return sum;
  }

  /// Returns the shifts that have no conflict and overlap by at least `least` items. For long lists, returns
  /// only the best of them, and looks for conflicts only at the sampled items.
  std::vector<ListShift> measured(double least) const {
    const auto rows = static_cast<std::int64_t>(reference_.size());
    const auto columns = static_cast<std::int64_t>(list_.size());
    std::vector<ListShift> found;
    for (std::int64_t shift = 1 - columns; shift < rows; ++shift) {
      const std::int64_t overlap = std::min(columns, rows - shift) - std::max<std::int64_t>(0, -shift);
      if (static_cast<double>(overlap) < least) continue;
      const auto size = static_cast<std::size_t>(overlap);
      if (const auto measured = sifts() ? sampled<kFirstSamples>(shift, size) : measure(shift, size, 1))
        found.push_back(*measured);
    }
    if (!sifts()) return found;
    keep_steadiest(found, kFirstSifted);
    std::vector<ListShift> rough;
    for (const ListShift& candidate : found) {
      if (const auto again = sampled<kRoughSamples>(candidate.shift, candidate.overlap))
        rough.push_back(*again);
    }
    keep_steadiest(rough, kRoughSifted);
    found = measured_again(rough, kSamples);
    keep_steadiest(found, kSifted);
    return measured_again(found, kManySamples);
  }

  static void keep_steadiest(std::vector<ListShift>& shifts, std::size_t most) {
    if (shifts.size() <= most) return;
    std::ranges::nth_element(
        shifts, shifts.begin() + static_cast<std::ptrdiff_t>(most), {},
        [](const ListShift& candidate) { return std::pair(candidate.deviation_ns, candidate.shift); });
    shifts.resize(most);
  }

  std::vector<ListShift> measured_again(const std::vector<ListShift>& shifts, std::size_t samples) const {
    std::vector<ListShift> out;
    for (const ListShift& candidate : shifts) {
      if (const auto measured = measure(candidate.shift, candidate.overlap,
                                        std::max<std::size_t>(1, candidate.overlap / samples)))
        out.push_back(*measured);
    }
    return out;
  }

  static std::size_t partner(std::size_t own, std::int64_t shift) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(own) + shift);
  }
  double apart_at(std::size_t own, std::int64_t shift) const {
    return static_cast<double>(list_.end_ns[own] - reference_.end_ns[partner(own, shift)]);
  }
  bool conflict_at(std::size_t own, std::int64_t shift) const {
    return conflict_(list_.signature[own], reference_.signature[partner(own, shift)]);
  }

  /// Measures a shift at kCount items. Uses no heap memory, because it is called for every shift of a long
  /// list.
  template <std::size_t kCount>
  std::optional<ListShift> sampled(std::int64_t shift, std::size_t overlap) const {
    const auto first = static_cast<std::size_t>(std::max<std::int64_t>(0, -shift));
    if (near_ && std::abs(apart_at(first + overlap / 2, shift) - *expected_ns_) > kNear) return std::nullopt;
    std::array<double, kCount> apart{};
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::size_t own = first + (2 * i + 1) * overlap / (2 * kCount);
      if (conflict_at(own, shift)) return std::nullopt;
      apart[i] = apart_at(own, shift);
    }
    const auto upper_middle = [&] {
      std::ranges::nth_element(apart, apart.begin() + kCount / 2);
      return apart[kCount / 2];
    };
    ListShift out{shift, overlap, upper_middle(), 0, false};
    if (std::abs(out.median_ns) > kMostApart) return std::nullopt;
    for (double& value : apart) value = std::abs(value - out.median_ns);
    out.deviation_ns = upper_middle();
    return out;
  }

  std::optional<ListShift> measure(std::int64_t shift, std::size_t overlap, std::size_t stride) const {
    const auto first = static_cast<std::size_t>(std::max<std::int64_t>(0, -shift));
    std::vector<double> apart;
    apart.reserve(overlap / stride + 1);
    std::size_t labelled = 0;
    std::size_t agreeing = 0;
    for (std::size_t i = 0; i < overlap; i += stride) {
      if (conflict_at(first + i, shift)) return std::nullopt;
      apart.push_back(apart_at(first + i, shift));
      const std::int32_t own = list_.step[first + i];
      const std::int32_t other = reference_.step[partner(first + i, shift)];
      if (own < 0 || other < 0) continue;
      ++labelled;
      if (own == other) ++agreeing;
    }
    ListShift out{shift, overlap, median_of(apart), 0, labelled > 0 && 10 * agreeing >= 9 * labelled};
    if (std::abs(out.median_ns) > kMostApart) return std::nullopt;
    out.deviation_ns = deviation_of(std::move(apart), out.median_ns);
    return out;
  }

  const CommunicationList& reference_;
  const CommunicationList& list_;
  const SignatureConflicts& conflict_;
  std::optional<double> expected_ns_;
  bool near_ = false;  // consider only shifts near the expected one
};

}  // namespace

SignatureConflicts::SignatureConflicts(std::vector<CommunicationSignature> signatures)
    : signatures_(std::move(signatures)) {
  constexpr std::size_t kFew = 256;
  if (signatures_.size() > kFew) return;
  for (const CommunicationSignature& a : signatures_) {
    for (const CommunicationSignature& b : signatures_) table_.push_back(signatures_conflict(a, b) ? 1 : 0);
  }
}

std::optional<ShiftChoice> best_shift(const CommunicationList& reference, const CommunicationList& list,
                                      const SignatureConflicts& conflict, std::optional<double> expected_ns) {
  return ShiftSearch(reference, list, conflict, expected_ns).run();
}

}  // namespace kino
