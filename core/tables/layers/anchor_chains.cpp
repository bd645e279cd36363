#include "core/tables/layers/anchor_chains.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace kino {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 0x0bf58476d1ce4e5bU;
constexpr std::size_t kTemplates = 4;       // most common segments of a gram
constexpr std::uint32_t kLongSegment = 64;  // a segment of this length counts even if it is unique
constexpr std::uint32_t kMostOddInARow = 2;
constexpr std::size_t kComparedPerUnit = 16;  // limits the comparisons of odd segments in hostile input

/// a b mod 2^61 - 1, for factors below it.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a_high = a >> 31;
  const std::uint64_t a_low = a & 0x7fffffffU;
  const std::uint64_t b_high = b >> 31;
  const std::uint64_t b_low = b & 0x7fffffffU;
  const std::uint64_t middle = a_low * b_high + a_high * b_low;
  const std::uint64_t sum =
      a_high * b_high * 2 + (middle >> 30) + ((middle & 0x3fffffffU) << 31) + a_low * b_low;
  const std::uint64_t folded = (sum >> 61) + (sum & kPrime);
  return folded >= kPrime ? folded - kPrime : folded;
}

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace

SegmentSums::SegmentSums(std::span<const SymbolUnit> units)
    : ordered_(units.size() + 1), powers_(units.size() + 1, 1), any_(units.size() + 1) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::uint64_t next = product(ordered_[i], kBase) + units[i].symbol + 1;
    ordered_[i + 1] = next >= kPrime ? next - kPrime : next;
    powers_[i + 1] = product(powers_[i], kBase);
    any_[i + 1] = any_[i] + mixed(units[i].symbol);
  }
}

std::uint64_t SegmentSums::sequence(std::uint32_t first, std::uint32_t end) const {
  const std::uint64_t before = product(ordered_[first], powers_[end - first]);
  const std::uint64_t all = ordered_[end];
  return all >= before ? all - before : all + kPrime - before;
}

SegmentOverlap AnchorSearch::overlap(std::uint32_t body, std::uint32_t body_end, std::uint32_t first,
                                     std::uint32_t end) const {
  const auto sorted = [&](std::uint32_t from, std::uint32_t to) {
    std::vector<std::uint32_t> symbols;
    symbols.reserve(to - from);
    for (std::uint32_t i = from; i < to; ++i) symbols.push_back(units_[i].symbol);
    std::ranges::sort(symbols);
    return symbols;
  };
  const std::vector<std::uint32_t> wanted = sorted(body, body_end);
  const std::vector<std::uint32_t> given = sorted(first, end);
  SegmentOverlap overlap;
  for (auto at = wanted.begin(); const std::uint32_t symbol : given) {
    while (at != wanted.end() && *at < symbol) ++at;
    const bool found = at != wanted.end() && *at == symbol;
    if (found) ++at;
    ++(found ? overlap.common : overlap.foreign);
  }
  return overlap;
}

bool AnchorSearch::is_body(std::uint32_t first, std::uint32_t end) const {
  const std::uint32_t kernels =
      (end < units_.size() ? units_[end].first : units_.back().first + 1) - units_[first].first;
  if (kernels < kLeastBodyKernels) return false;
  std::array<std::uint32_t, kLeastBodySymbols> symbols{};
  std::size_t different = 0;
  for (std::uint32_t i = first; i < end && different < kLeastBodySymbols; ++i) {
    if (units_[i].symbol >= kFirstSeparator) return false;
    const auto known = symbols.begin() + static_cast<std::ptrdiff_t>(different);
    if (std::find(symbols.begin(), known, units_[i].symbol) == known) symbols[different++] = units_[i].symbol;
  }
  return different == kLeastBodySymbols;
}

bool AnchorSearch::is_odd_copy(std::uint32_t body, std::uint32_t segment, std::uint32_t period) {
  const std::uint32_t length = length_at(segment);
  const std::uint32_t tolerance = std::max(2U, period / 4);
  if (length > period + tolerance || length + tolerance < period) return false;
  if (compared_ > kComparedPerUnit * units_.size()) return false;
  compared_ += length + period;
  const std::uint32_t first = places_[segment];
  const SegmentOverlap both = overlap(body, body + period, first, first + length);
  return both.common * 10 >= period * 7 && both.foreign * 8 <= period;
}

void AnchorSearch::emit(std::uint32_t first, std::uint32_t last, std::uint32_t good, std::uint32_t body,
                        std::uint32_t period, std::vector<AnchorChain>& chains) {
  const std::uint32_t segments = last - first + 1;
  if (segments < 2 || good * 4 < segments * 3) return;
  AnchorChain chain;
  std::uint32_t begin = places_[first];
  const std::uint32_t last_end = places_[last + 1];
  std::uint32_t end = last_end;
  while (begin > 0 && places_[first] - begin < period &&
         units_[begin - 1].symbol == units_[begin - 1 + period].symbol)
    --begin;
  while (end < units_.size() && end - last_end < period && units_[end].symbol == units_[end - period].symbol)
    ++end;
  const std::uint32_t left = places_[first] - begin;
  // Kernels, not units: a loop at the end of a copy is one unit.
  const auto kernels = [&](std::uint32_t from, std::uint32_t to) {
    return (to < units_.size() ? units_[to].first : units_.back().first + 1) - units_[from].first;
  };
  const std::uint32_t rest = kernels(begin, places_[first]) + (end > last_end ? kernels(last_end, end) : 0);
  const std::uint32_t whole = kernels(body, body + period);
  const bool another = rest * 10 >= whole * 6;
  chain.copies = segments + (another ? 1 : 0);
  chain.good = good + (another && rest >= whole ? 1 : 0);
  chain.first = begin;
  const std::uint32_t full_end = last_end - left;
  chain.end = another ? std::min(full_end + period, end) : full_end;
  chain.slack = static_cast<std::int32_t>(rest) - (another ? static_cast<std::int32_t>(whole) : 0);
  chain.period = period;
  chain.body = body;
  chain.anchor = first;
  chain.type = mixed(sums_.multiset(body, body + period) + period);
  chains.push_back(chain);
}

void AnchorSearch::walk(std::uint32_t from, std::uint32_t to, const Template& body,
                        std::vector<AnchorChain>& chains) {
  const std::uint32_t body_unit = places_[body.segment];
  const std::uint32_t period = length_at(body.segment);
  if (!is_body(body_unit, body_unit + period)) return;
  bool open = false;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t good = 0;
  std::uint32_t first_good = body_unit;
  for (std::uint32_t segment = from; segment < to; ++segment) {
    if (keys_[segment] == body.key) {
      if (!open) {
        first = segment;
        good = 0;
        first_good = places_[segment];
      }
      open = true;
      last = segment;
      ++good;
    } else if (open && (segment - last > kMostOddInARow || !is_odd_copy(body_unit, segment, period))) {
      emit(first, last, good, first_good, period, chains);
      open = false;
    }
  }
  if (open) emit(first, last, good, first_good, period, chains);
}

std::vector<std::size_t> AnchorSearch::list_occurrences(std::uint32_t length) {
  const auto size = static_cast<std::uint32_t>(units_.size());
  std::vector<std::size_t> ends;
  if (length == 1) {
    std::vector<std::size_t> next;  // by symbol
    for (const SymbolUnit& unit : units_) {
      if (unit.symbol >= kFirstSeparator) continue;
      if (unit.symbol >= next.size()) next.resize(unit.symbol + 1);
      ++next[unit.symbol];
    }
    std::size_t place = places_.size();
    for (std::size_t& count : next) {
      const std::size_t first = place;
      place += count;
      if (count > 0) ends.push_back(place);
      count = first;
    }
    places_.resize(place);
    for (std::uint32_t i = 0; i < size; ++i) {
      if (units_[i].symbol < kFirstSeparator) places_[next[units_[i].symbol]++] = i;
    }
    return ends;
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> grams;
  grams.reserve(size);
  std::uint32_t clear_from = 0;  // after the last separator
  for (std::uint32_t i = 0; i < size; ++i) {
    if (units_[i].symbol >= kFirstSeparator) clear_from = i + 1;
    if (i + 1 < clear_from + length) continue;
    const std::uint32_t first = i + 1 - length;
    grams.emplace_back(sums_.sequence(first, i + 1), first);
  }
  std::ranges::sort(grams);
  for (std::size_t i = 0; i < grams.size(); ++i) {
    if (i > 0 && grams[i].first != grams[i - 1].first) ends.push_back(places_.size());
    places_.push_back(grams[i].second);
  }
  if (!grams.empty()) ends.push_back(places_.size());
  return ends;
}

void AnchorSearch::find(std::uint32_t length, std::vector<AnchorChain>& chains, const std::stop_token& stop) {
  const auto size = static_cast<std::uint32_t>(units_.size());
  if (size < 2 * length) return;
  const std::size_t base = places_.size();
  std::vector<std::size_t> ends = list_occurrences(length);
  keys_.resize(places_.size());
  std::vector<Template> templates;
  std::size_t begin = base;
  for (const std::size_t end : ends) {
    if (stop.stop_requested()) return;
    const auto from = static_cast<std::uint32_t>(begin);
    const auto to = static_cast<std::uint32_t>(end - 1);  // the last occurrence begins no segment
    begin = end;
    if (to - from < 2) continue;
    for (std::uint32_t i = from; i < to; ++i)
      keys_[i] = mixed(sums_.sequence(places_[i], places_[i + 1])) + length_at(i);
    templates.clear();
    for (std::uint32_t i = from; i < to; ++i) templates.push_back({keys_[i], 1, i});
    std::ranges::sort(templates, [](const Template& a, const Template& b) {
      return std::pair(a.key, a.segment) < std::pair(b.key, b.segment);
    });
    std::size_t kept = 0;
    for (const Template& segment : templates) {
      if (kept > 0 && templates[kept - 1].key == segment.key) {
        ++templates[kept - 1].count;
      } else {
        templates[kept++] = segment;
      }
    }
    templates.resize(kept);
    std::erase_if(templates, [&](const Template& segment) {
      return segment.count < 2 && length_at(segment.segment) < kLongSegment;
    });
    const std::size_t most = std::min(kTemplates, templates.size());
    std::ranges::partial_sort(templates, templates.begin() + static_cast<std::ptrdiff_t>(most),
                              [](const Template& a, const Template& b) {
                                return a.count != b.count ? a.count > b.count : a.segment < b.segment;
                              });
    for (std::size_t i = 0; i < most; ++i) walk(from, to, templates[i], chains);
  }
}

std::vector<std::uint32_t> AnchorSearch::starts(const AnchorChain& chain) const {
  const std::uint32_t left = places_[chain.anchor] - chain.first;
  std::vector<std::uint32_t> starts;
  starts.reserve(chain.copies + 1);
  for (std::uint32_t i = 0; i < chain.copies; ++i) starts.push_back(places_[chain.anchor + i] - left);
  starts.push_back(chain.end);
  return starts;
}

}  // namespace kino
