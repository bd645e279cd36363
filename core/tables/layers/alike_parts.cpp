#include "core/tables/layers/alike_parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/tables/layers/anchor_chains.hpp"

namespace kino {
namespace {

constexpr std::size_t kComparedSymbols = 15;
constexpr std::size_t kRestBin = kComparedSymbols;
constexpr std::size_t kSeparatorBin = kComparedSymbols + 1;
constexpr std::size_t kBins = kComparedSymbols + 2;
constexpr std::size_t kUnitsPerBlock = 16;
constexpr std::size_t kMostAlikeTypes = 64;         // the types with the most time
constexpr std::int64_t kLeastAlikeTypeParts = 100;  // 1 % of the time of the sequence
constexpr std::uint64_t kLeastDice = 70;            // percent
constexpr std::uint64_t kLeastLastDice = 60;        // percent, for the last part, whose end is not marked
constexpr std::size_t kTriedPerUnit = 64;           // limits the ends that are tried in hostile input

using SymbolBins = std::array<std::uint32_t, kBins>;

/// Counts the most important symbols of any segment.
class BinnedSymbols {
 public:
  BinnedSymbols(std::span<const SymbolUnit> units, std::span<const std::int64_t> before_ns) {
    std::uint32_t last = 0;
    for (const SymbolUnit& unit : units) {
      if (unit.symbol < kFirstSeparator) last = std::max(last, unit.symbol);
    }
    std::vector<std::pair<std::int64_t, std::uint32_t>> times(last + std::size_t{1});
    for (std::uint32_t symbol = 0; symbol <= last; ++symbol) times[symbol].second = symbol;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (units[i].symbol >= kFirstSeparator) continue;
      std::int64_t& time_ns = times[units[i].symbol].first;
      time_ns = saturating_add(time_ns, saturating_subtract(before_ns[i + 1], before_ns[i]));
    }
    const std::size_t most = std::min(kComparedSymbols, times.size());
    std::ranges::partial_sort(times, times.begin() + static_cast<std::ptrdiff_t>(most),
                              [](const auto& a, const auto& b) {
                                return a.first != b.first ? a.first > b.first : a.second < b.second;
                              });
    std::vector<std::uint8_t> bins(last + std::size_t{1}, std::uint8_t{kRestBin});
    for (std::size_t i = 0; i < most; ++i) bins[times[i].second] = static_cast<std::uint8_t>(i);
    bin_.reserve(units.size());
    SymbolBins sums{};
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (i % kUnitsPerBlock == 0) blocks_.push_back(sums);
      const std::uint32_t symbol = units[i].symbol;
      bin_.push_back(symbol < kFirstSeparator ? bins[symbol] : std::uint8_t{kSeparatorBin});
      ++sums[bin_.back()];
    }
    blocks_.push_back(sums);
  }

  /// Returns the counts of the units in [first, end). O(1).
  SymbolBins in(std::uint32_t first, std::uint32_t end) const {
    SymbolBins counts = before(end);
    const SymbolBins skipped = before(first);
    for (std::size_t bin = 0; bin < kBins; ++bin) counts[bin] -= skipped[bin];
    return counts;
  }

 private:
  SymbolBins before(std::uint32_t unit) const {
    if (unit == bin_.size()) return blocks_.back();
    SymbolBins counts = blocks_[unit / kUnitsPerBlock];
    for (std::size_t i = unit / kUnitsPerBlock * kUnitsPerBlock; i < unit; ++i) ++counts[bin_[i]];
    return counts;
  }

  std::vector<std::uint8_t> bin_;   // by unit
  std::vector<SymbolBins> blocks_;  // counts before every kUnitsPerBlock-th unit, and of all units
};

/// Returns the Dice coefficient in percent, rounded down.
std::uint64_t dice_percent(const SymbolBins& a, const SymbolBins& b) {
  std::uint64_t common = 0;
  std::uint64_t both = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    common += std::min(a[bin], b[bin]);
    both += std::uint64_t{a[bin]} + b[bin];
  }
  return both == 0 ? 0 : 200 * common / both;
}

/// Whether parts of these two lengths can be alike.
bool lengths_fit(std::uint64_t a, std::uint64_t b) { return 4 * (std::min(a, b) + 2) >= 3 * std::max(a, b); }

/// Consecutive alike parts, as first units of the parts and the end of the last one.
using AlikeChain = std::vector<std::uint32_t>;

struct AlikeType {
  std::vector<AlikeChain> chains;  // in order of position
  std::int64_t time_ns = 0;
  std::uint32_t period = 0;
  std::uint32_t body = 0;
};

class AlikeSearch {
 public:
  AlikeSearch(std::span<const SymbolUnit> units, std::span<const std::int64_t> before_ns)
      : units_(units), before_ns_(before_ns), bins_(units, before_ns) {}

  std::vector<AlikeType> types(const std::stop_token& stop) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;  // symbol and unit
    places.reserve(units_.size());
    for (std::uint32_t i = 0; i < units_.size(); ++i) {
      if (units_[i].symbol < kFirstSeparator) places.emplace_back(units_[i].symbol, i);
    }
    std::ranges::sort(places);
    std::vector<AlikeType> found;
    for (std::size_t begin = 0; begin < places.size() && !stop.stop_requested();) {
      places_.clear();
      const std::uint32_t symbol = places[begin].first;
      for (; begin < places.size() && places[begin].first == symbol; ++begin)
        places_.push_back(places[begin].second);
      AlikeType type = type_of_places();
      if (!type.chains.empty() && type.time_ns >= before_ns_.back() / kLeastAlikeTypeParts)
        found.push_back(std::move(type));
    }
    std::ranges::stable_sort(found, [](const AlikeType& a, const AlikeType& b) {
      return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.chains.front() < b.chains.front();
    });
    if (found.size() > kMostAlikeTypes) found.resize(kMostAlikeTypes);
    return found;
  }

  std::int64_t time_of(const AlikeChain& chain) const {
    return saturating_subtract(before_ns_[chain.back()], before_ns_[chain.front()]);
  }

 private:
  SymbolBins bins_of(std::size_t segment) const { return bins_.in(places_[segment], places_[segment + 1]); }
  std::uint32_t length_of(std::size_t segment) const { return places_[segment + 1] - places_[segment]; }

  bool are_alike(std::size_t a, std::size_t b) const {
    if (!lengths_fit(length_of(a), length_of(b))) return false;
    const SymbolBins of_a = bins_of(a);
    const SymbolBins of_b = bins_of(b);
    return dice_percent(of_a, of_b) >= kLeastDice;
  }

  /// Returns the chains of one symbol.
  AlikeType type_of_places() {
    AlikeType type;
    const std::size_t segments = places_.size() - 1;
    std::size_t most = 0;
    std::size_t most_marked = 0;  // without the last part, whose end is not marked
    for (std::size_t first = 0; first + kLeastAlikeParts <= segments + 1;) {
      if (!is_part(first)) {
        ++first;
        continue;
      }
      std::size_t last = first;
      std::vector<std::size_t> alike{first};
      for (std::size_t next = first + 1; next < segments; ++next) {
        if (!is_part(next)) break;
        if (are_alike(last, next)) {
          last = next;
          alike.push_back(next);
        } else if (next > last + 1) {
          break;
        }
      }
      AlikeChain chain;
      std::size_t middle = first;
      if (last - first + 2 >= kLeastAlikeParts) {
        middle = median_segment(alike);
        chain = chain_of(first, last, middle);
        most_marked = std::max(most_marked, last - first + 1);
      }
      first = last + 1;
      if (chain.size() <= kLeastAlikeParts) continue;
      while (first < places_.size() && places_[first] < chain.back()) ++first;
      if (chain.size() > most) {
        most = chain.size();
        type.body = places_[middle];
        type.period = length_of(middle);
      }
      add_saturating(type.time_ns, time_of(chain));
      type.chains.push_back(std::move(chain));
    }
    if (most_marked < kLeastAlikeParts) type.chains.clear();
    return type;
  }

  /// Returns the segment of median length. Unlike segments between alike ones are not candidates.
  std::size_t median_segment(const std::vector<std::size_t>& alike) const {
    std::vector<std::pair<std::uint32_t, std::size_t>> lengths;
    lengths.reserve(alike.size());
    for (const std::size_t segment : alike) lengths.emplace_back(length_of(segment), segment);
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    return middle->second;
  }

  /// Whether a segment has enough kernels and different symbols, and no separator.
  bool is_part(std::size_t segment) const {
    const std::uint32_t first = places_[segment];
    const std::uint32_t end = places_[segment + 1];
    if (units_[end].first - units_[first].first < kLeastBodyKernels) return false;
    if (bins_of(segment)[kSeparatorBin] > 0) return false;
    std::set<std::uint32_t> symbols;
    for (std::uint32_t i = first; i < end && symbols.size() < kLeastBodySymbols; ++i)
      symbols.insert(units_[i].symbol);
    return symbols.size() >= kLeastBodySymbols;
  }

  AlikeChain chain_of(std::size_t first, std::size_t last, std::size_t middle) {
    AlikeChain chain(places_.begin() + static_cast<std::ptrdiff_t>(first),
                     places_.begin() + static_cast<std::ptrdiff_t>(last + 2));
    const std::uint32_t begin = chain.back();
    const SymbolBins typical = bins_of(middle);
    const std::uint32_t period = length_of(middle);
    std::uint64_t best = kLeastLastDice;
    std::uint32_t best_end = 0;
    for (std::uint32_t end = begin + 1; end <= units_.size(); ++end) {
      const std::uint32_t length = end - begin;
      if (units_[end - 1].symbol >= kFirstSeparator || (length > period && !lengths_fit(length, period)))
        break;
      if (!lengths_fit(length, period)) continue;
      if (++tried_ > kTriedPerUnit * units_.size()) break;
      const std::uint64_t dice = dice_percent(bins_.in(begin, end), typical);
      if (dice < best) continue;
      best = dice;
      best_end = end;
    }
    if (best_end > 0) chain.push_back(best_end);
    return chain;
  }

  std::span<const SymbolUnit> units_;
  std::span<const std::int64_t> before_ns_;
  BinnedSymbols bins_;
  std::vector<std::uint32_t> places_;  // units with the current symbol
  std::size_t tried_ = 0;
};

}  // namespace

std::vector<NameStack> alike_stacks(std::span<const SymbolUnit> units,
                                    std::span<const std::int64_t> before_ns, const std::stop_token& stop) {
  std::vector<NameStack> stacks;
  if (units.empty()) return stacks;
  std::vector<bool> taken(units.size());
  for (AlikeType& type : AlikeSearch(units, before_ns).types(stop)) {
    NameStack stack;
    stack.period = type.period;
    stack.body = type.body;
    for (AlikeChain& chain : type.chains) {
      if (is_taken(taken, chain.front(), chain.back())) continue;
      mark_taken(taken, chain.front(), chain.back());
      stack.passes.push_back(std::move(chain));
    }
    if (!stack.passes.empty()) stacks.push_back(std::move(stack));
  }
  return stacks;
}

}  // namespace kino
