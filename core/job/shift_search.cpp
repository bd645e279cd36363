#include "core/job/shift_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/job/median.hpp"

namespace kino {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kMostApart = 1e10;
constexpr double kCertain = 10;
constexpr std::size_t kFewItems = 512;
// Of long lists, all shifts are looked at in few places, the best of them in more, and the best of those
// wholly.
constexpr std::size_t kRoughSamples = 16;
constexpr std::size_t kRoughSifted = 512;
constexpr std::size_t kSamples = 64;
constexpr std::size_t kSifted = 32;
constexpr std::size_t kManySamples = 2048;
// Where fitted clocks say what to expect, the right shift is not this far from it, ...
constexpr double kNear = 50e6;
// ... and one so near is not doubted.
constexpr double kAsExpected = 1e6;

class ShiftSearch {
 public:
  ShiftSearch(std::span<const CommunicationItem> reference, std::span<const CommunicationItem> list,
              std::optional<double> expected_ns)
      : reference_(reference), list_(list), expected_ns_(expected_ns) {}

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
    for (const ListShift& it : candidates) {
      if (advantage(it, choice.best) > 0) choice.best = it;
    }
    for (const ListShift& it : candidates) {
      if (it.shift != choice.best.shift && advantage(choice.best, it) < kCertain) choice.certain = false;
    }
    return choice;
  }

  /// How much likelier the first is: a logarithm of a ratio.
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

  /// All shifts without a conflict whose overlap has at least so many items.
  std::vector<ListShift> measured(double least) const {
    const auto rows = static_cast<std::int64_t>(reference_.size());
    const auto columns = static_cast<std::int64_t>(list_.size());
    std::vector<ListShift> found;
    for (std::int64_t shift = 1 - columns; shift < rows; ++shift) {
      const std::int64_t overlap = std::min(columns, rows - shift) - std::max<std::int64_t>(0, -shift);
      if (static_cast<double>(overlap) < least) continue;
      const auto size = static_cast<std::size_t>(overlap);
      if (const auto it = sifts() ? measured_roughly(shift, size) : measure(shift, size, 1))
        found.push_back(*it);
    }
    if (!sifts()) return found;
    keep_steadiest(found, kRoughSifted);
    found = measured_again(found, kSamples);
    keep_steadiest(found, kSifted);
    return measured_again(found, kManySamples);
  }

  static void keep_steadiest(std::vector<ListShift>& shifts, std::size_t most) {
    std::ranges::sort(shifts, {}, [](const ListShift& it) { return std::pair(it.deviation_ns, it.shift); });
    shifts.resize(std::min(shifts.size(), most));
  }

  std::vector<ListShift> measured_again(const std::vector<ListShift>& shifts, std::size_t samples) const {
    std::vector<ListShift> out;
    for (const ListShift& it : shifts) {
      if (const auto measured = measure(it.shift, it.overlap, std::max<std::size_t>(1, it.overlap / samples)))
        out.push_back(*measured);
    }
    return out;
  }

  const CommunicationItem& partner(std::size_t own, std::int64_t shift) const {
    return reference_[static_cast<std::size_t>(static_cast<std::int64_t>(own) + shift)];
  }

  /// By few items, and without memory of its own: there are as many shifts as items.
  std::optional<ListShift> measured_roughly(std::int64_t shift, std::size_t overlap) const {
    const auto first = static_cast<std::size_t>(std::max<std::int64_t>(0, -shift));
    if (near_) {
      const std::size_t middle = first + overlap / 2;
      const auto apart = static_cast<double>(list_[middle].end_ns - partner(middle, shift).end_ns);
      if (std::abs(apart - *expected_ns_) > kNear) return std::nullopt;
    }
    std::array<double, kRoughSamples> apart{};
    for (std::size_t i = 0; i < kRoughSamples; ++i) {
      const std::size_t own = first + i * overlap / kRoughSamples;
      const CommunicationItem& other = partner(own, shift);
      if (signatures_conflict(list_[own], other)) return std::nullopt;
      apart[i] = static_cast<double>(list_[own].end_ns - other.end_ns);
    }
    const auto upper_middle = [&] {
      std::ranges::nth_element(apart, apart.begin() + kRoughSamples / 2);
      return apart[kRoughSamples / 2];
    };
    ListShift out{shift, overlap, upper_middle(), 0, false};
    if (std::abs(out.median_ns) > kMostApart) return std::nullopt;
    for (double& it : apart) it = std::abs(it - out.median_ns);
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
      const CommunicationItem& own = list_[first + i];
      const CommunicationItem& other = partner(first + i, shift);
      if (signatures_conflict(own, other)) return std::nullopt;
      apart.push_back(static_cast<double>(own.end_ns - other.end_ns));
      if (own.step < 0 || other.step < 0) continue;
      ++labelled;
      if (own.step == other.step) ++agreeing;
    }
    ListShift out{shift, overlap, median_of(apart), 0, labelled > 0 && 10 * agreeing >= 9 * labelled};
    if (std::abs(out.median_ns) > kMostApart) return std::nullopt;
    out.deviation_ns = deviation_of(std::move(apart), out.median_ns);
    return out;
  }

  std::span<const CommunicationItem> reference_;
  std::span<const CommunicationItem> list_;
  std::optional<double> expected_ns_;
  bool near_ = false;  // only what is near the expected
};

bool is_message(CollectiveKind kind) {
  return kind == CollectiveKind::send || kind == CollectiveKind::receive;
}

}  // namespace

bool signatures_conflict(const CommunicationItem& a, const CommunicationItem& b) {
  const auto differ = [](auto x, auto y, auto unknown) { return x != unknown && y != unknown && x != y; };
  const auto either = [&](CollectiveKind x, CollectiveKind y) {
    return (a.kind == x && b.kind == y) || (a.kind == y && b.kind == x);
  };
  // What a kernel's name calls sending and receiving may be an all-to-all.
  const bool same_kind = (is_message(a.kind) && is_message(b.kind)) ||
                         either(CollectiveKind::send_receive, CollectiveKind::all_to_all) ||
                         a.family == b.family;
  if (!same_kind) return true;
  if (!a.told && !b.told && a.algorithm != b.algorithm) return true;
  if (differ(a.dtype, b.dtype, 0U)) return true;
  if (a.kind == CollectiveKind::all_to_all || b.kind == CollectiveKind::all_to_all) return false;
  return differ(a.in_elements, b.in_elements, std::int64_t{-1}) ||
         differ(a.out_elements, b.out_elements, std::int64_t{-1});
}

std::optional<ShiftChoice> best_shift(std::span<const CommunicationItem> reference,
                                      std::span<const CommunicationItem> list,
                                      std::optional<double> expected_ns) {
  return ShiftSearch(reference, list, expected_ns).run();
}

}  // namespace kino
