#include "core/tables/layers/anchor_chains.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <unordered_map>

namespace kino {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 0x0bf58476d1ce4e5bU;
constexpr std::size_t kTemplates = 4;       // number of segments of a gram that are tried as bodies
constexpr std::uint32_t kLongSegment = 64;  // unique segments are tried from this length on
constexpr std::uint32_t kMostOddInARow = 2;
constexpr std::size_t kComparedPerUnit = 16;  // limits the comparisons of odd segments in hostile input

/// Returns a * b mod 2^61 - 1. Both factors must be below 2^61 - 1.
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
    : ordered_(units.size() + 1), any_(units.size() + 1) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::uint64_t next = product(ordered_[i], kBase) + units[i].symbol + 1;
    ordered_[i + 1] = next >= kPrime ? next - kPrime : next;
    any_[i + 1] = any_[i] + mixed(units[i].symbol);
  }
  constexpr std::size_t kLow = std::size_t{1} << kLowBits;
  low_powers_.assign(kLow, 1);
  for (std::size_t i = 1; i < kLow; ++i) low_powers_[i] = product(low_powers_[i - 1], kBase);
  const std::uint64_t step = product(low_powers_.back(), kBase);
  high_powers_.assign((units.size() >> kLowBits) + 1, 1);
  for (std::size_t i = 1; i < high_powers_.size(); ++i) high_powers_[i] = product(high_powers_[i - 1], step);
}

std::uint64_t SegmentSums::power(std::uint32_t exponent) const {
  const std::uint64_t low = low_powers_[exponent & ((1U << kLowBits) - 1)];
  const std::uint32_t high = exponent >> kLowBits;
  return high == 0 ? low : product(high_powers_[high], low);
}

std::uint64_t SegmentSums::sequence(std::uint32_t first, std::uint32_t end) const {
  const std::uint64_t before = product(ordered_[first], power(end - first));
  const std::uint64_t all = ordered_[end];
  return all >= before ? all - before : all + kPrime - before;
}

void BodyCounter::set(std::span<const SymbolUnit> body) {
  for (const std::uint32_t symbol : body_) left_[symbol] = 0;
  body_.clear();
  for (const SymbolUnit& unit : body) {
    if (unit.symbol >= kFirstSeparator) continue;  // unique, so no other segment contains it
    if (unit.symbol >= left_.size()) left_.resize(unit.symbol + 1);
    ++left_[unit.symbol];
    body_.push_back(unit.symbol);
  }
}

SegmentOverlap BodyCounter::compare(std::span<const SymbolUnit> segment) {
  SegmentOverlap overlap;
  found_.clear();
  for (const SymbolUnit& unit : segment) {
    if (take(unit.symbol)) {
      found_.push_back(unit.symbol);
    } else {
      ++overlap.foreign;
    }
  }
  overlap.common = static_cast<std::uint32_t>(found_.size());
  for (const std::uint32_t symbol : found_) put_back(symbol);
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
  if (body != counted_body_ || period != counted_period_) counter_.set(units_.subspan(body, period));
  counted_body_ = body;
  counted_period_ = period;
  const SegmentOverlap both = counter_.compare(units_.subspan(places_[segment], length));
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
  // The rest is measured in kernels, because a loop at the end of a copy consists of few units.
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
    if (keys_[segment - from] == body.key) {
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

std::vector<std::size_t> AnchorSearch::list_symbols() {
  const auto size = static_cast<std::uint32_t>(units_.size());
  std::vector<std::size_t> ends;
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

std::vector<std::size_t> AnchorSearch::list_occurrences(std::uint32_t length) {
  if (length == 1) return list_symbols();
  constexpr std::uint32_t kNoGram = 0xffffffffU;
  const auto size = static_cast<std::uint32_t>(units_.size());
  struct Gram {
    std::uint64_t hash = 0;
    std::uint32_t index = 0;  // in order of the first occurrence
    std::size_t count = 0;
  };
  std::vector<Gram> grams;
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  std::vector<std::uint32_t> gram_at(size, kNoGram);  // by first unit
  std::uint32_t clear_from = 0;                       // after the last separator
  for (std::uint32_t i = 0; i < size; ++i) {
    if (units_[i].symbol >= kFirstSeparator) clear_from = i + 1;
    if (i + 1 < clear_from + length) continue;
    const std::uint32_t first = i + 1 - length;
    const std::uint64_t hash = sums_.sequence(first, i + 1);
    const auto [gram, added] = known.try_emplace(hash, static_cast<std::uint32_t>(grams.size()));
    if (added) grams.push_back({hash, gram->second, 0});
    ++grams[gram->second].count;
    gram_at[first] = gram->second;
  }
  known.clear();
  std::ranges::sort(grams, {}, &Gram::hash);
  std::vector<std::size_t> next(grams.size());  // by index: place of the next occurrence
  std::vector<std::size_t> ends;
  ends.reserve(grams.size());
  std::size_t place = places_.size();
  for (const Gram& gram : grams) {
    next[gram.index] = place;
    place += gram.count;
    ends.push_back(place);
  }
  places_.resize(place);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (gram_at[i] != kNoGram) places_[next[gram_at[i]]++] = i;
  }
  return ends;
}

void AnchorSearch::find_templates(std::uint32_t from, std::uint32_t to) {
  templates_.clear();
  keys_.clear();
  keys_.reserve(to - from);
  // Open addressing. At least half of the slots are free.
  slots_.assign(std::bit_ceil(std::size_t{2} * (to - from)), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = from; i < to; ++i) {
    const std::uint64_t key = mixed(sums_.sequence(places_[i], places_[i + 1])) + length_at(i);
    keys_.push_back(key);
    std::size_t slot = key & mask;
    while (slots_[slot] != 0 && templates_[slots_[slot] - 1].key != key) slot = (slot + 1) & mask;
    if (slots_[slot] == 0) {
      templates_.push_back({key, 0, i});
      slots_[slot] = static_cast<std::uint32_t>(templates_.size());
    }
    ++templates_[slots_[slot] - 1].count;
  }
  std::erase_if(templates_, [&](const Template& segment) {
    return segment.count < 2 && length_at(segment.segment) < kLongSegment;
  });
  const std::size_t most = std::min(kTemplates, templates_.size());
  std::ranges::partial_sort(templates_, templates_.begin() + static_cast<std::ptrdiff_t>(most),
                            [](const Template& a, const Template& b) {
                              return a.count != b.count ? a.count > b.count : a.segment < b.segment;
                            });
  templates_.resize(most);
}

void AnchorSearch::find(std::uint32_t length, std::vector<AnchorChain>& chains, const std::stop_token& stop) {
  const auto size = static_cast<std::uint32_t>(units_.size());
  if (size < 2 * length) return;
  std::size_t begin = places_.size();
  for (const std::size_t end : list_occurrences(length)) {
    if (stop.stop_requested()) return;
    const auto from = static_cast<std::uint32_t>(begin);
    const auto to = static_cast<std::uint32_t>(end - 1);  // the last occurrence begins no segment
    begin = end;
    if (to - from < 2) continue;
    find_templates(from, to);
    for (const Template& body : templates_) walk(from, to, body, chains);
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
