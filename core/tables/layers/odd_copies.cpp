#include "core/tables/layers/odd_copies.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

namespace kino {
namespace {

constexpr std::size_t kTriedSymbols = 4;

/// Returns the length of an odd copy that starts at `edge` and extends to the right or left. 0 if there is
/// none.
std::uint32_t odd_length(std::span<const SymbolUnit> units, const std::vector<bool>& taken,
                         const NameStack& stack, BodyCounter& counter, std::uint32_t edge, bool to_right) {
  const std::uint32_t tolerance = stack.period / 3;
  std::vector<std::uint32_t> common;  // symbols
  std::uint32_t foreign = 0;
  std::uint32_t best = 0;
  std::int64_t best_score = 0;
  for (std::uint32_t length = 1; length <= stack.period + tolerance; ++length) {
    if (to_right ? edge + length > units.size() : length > edge) break;
    const std::uint32_t unit = to_right ? edge + length - 1 : edge - length;
    if (taken[unit] || units[unit].symbol >= kFirstSeparator) break;
    if (counter.take(units[unit].symbol)) {
      common.push_back(units[unit].symbol);
    } else {
      ++foreign;
    }
    if (length + tolerance < stack.period || foreign * 5 > length) continue;
    const std::int64_t score = static_cast<std::int64_t>(common.size()) - foreign;
    const bool better = best == 0 || score > best_score;
    if (common.size() * 2 < stack.period || !better) continue;
    best = length;
    best_score = score;
  }
  for (const std::uint32_t symbol : common) counter.put_back(symbol);
  return best;
}

/// Returns the symbols that the body contains once, with their offsets in the body.
std::vector<std::pair<std::uint32_t, std::uint32_t>> unique_symbols(std::span<const SymbolUnit> body) {
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const SymbolUnit& unit : body) ++counts[unit.symbol];
  std::vector<std::pair<std::uint32_t, std::uint32_t>> unique;
  for (std::uint32_t i = 0; i < body.size(); ++i) {
    if (counts[body[i].symbol] == 1) unique.emplace_back(body[i].symbol, i);
  }
  return unique;
}

}  // namespace

bool is_taken(const std::vector<bool>& taken, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t i = first; i < end; ++i) {
    if (taken[i]) return true;
  }
  return false;
}

void mark_taken(std::vector<bool>& taken, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t i = first; i < end; ++i) taken[i] = true;
}

void adopt_odd_passes(std::span<const SymbolUnit> units, std::vector<bool>& taken, NameStack& stack) {
  const std::uint32_t period = stack.period;
  const std::uint32_t tolerance = std::max(2U, period / 4);
  const auto unique = unique_symbols(units.subspan(stack.body, period));
  BodyCounter counter(units.subspan(stack.body, period));
  const auto is_copy = [&](std::uint32_t first, std::uint32_t end) {
    return !is_taken(taken, first, end) &&
           counter.compare(units.subspan(first, end - first)).common * 10 >= period * 6;
  };
  for (std::size_t i = 0; i < std::min(unique.size(), kTriedSymbols); ++i) {
    const auto [symbol, offset] = unique[i * unique.size() / std::min(unique.size(), kTriedSymbols)];
    std::vector<std::uint32_t> starts;
    const auto finish = [&] {
      if (starts.size() > 2) {
        mark_taken(taken, starts.front(), starts.back());
        stack.passes.push_back(starts);
      }
      starts.clear();
    };
    std::optional<std::uint32_t> last;
    for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
      if (units[unit].symbol >= kFirstSeparator || taken[unit]) {
        finish();
        last.reset();
        continue;
      }
      if (units[unit].symbol != symbol || unit < offset) continue;
      const std::uint32_t first = unit - offset;
      if (last) {
        const std::uint32_t distance = first - *last;
        const bool fits =
            distance + tolerance >= period && distance <= period + tolerance && is_copy(*last, first);
        if (fits) {
          if (starts.empty()) starts.push_back(*last);
          starts.push_back(first);
        } else {
          finish();
        }
      }
      if (!is_taken(taken, first, unit)) last = first;
    }
    finish();
  }
}

void grow_passes(std::span<const SymbolUnit> units, std::vector<bool>& taken, NameStack& stack) {
  std::ranges::sort(stack.passes);
  BodyCounter counter(units.subspan(stack.body, stack.period));
  for (std::vector<std::uint32_t>& pass : stack.passes) {
    const std::size_t copies = pass.size();
    while (const std::uint32_t length = odd_length(units, taken, stack, counter, pass.back(), true)) {
      mark_taken(taken, pass.back(), pass.back() + length);
      pass.push_back(pass.back() + length);
    }
    const std::size_t right = pass.size() - copies;
    while (const std::uint32_t length = odd_length(units, taken, stack, counter, pass.front(), false)) {
      mark_taken(taken, pass.front() - length, pass.front());
      pass.insert(pass.begin(), pass.front() - length);
    }
    const std::size_t left = pass.size() - copies - right;
    if (left != 1 || right != 1) continue;
    // If one copy was added at each end, and both are short, they may be parts of one layer. Keep the longer
    // one.
    const std::uint32_t first = pass[1] - pass[0];
    const std::uint32_t last = pass.back() - pass[pass.size() - 2];
    if ((first + last) * 2 >= 3 * stack.period) continue;
    if (first < last) {
      pass.erase(pass.begin());
    } else {
      pass.pop_back();
    }
  }
  std::vector<std::vector<std::uint32_t>> joined;
  for (std::vector<std::uint32_t>& pass : stack.passes) {
    if (!joined.empty() && joined.back().back() == pass.front()) {
      joined.back().insert(joined.back().end(), pass.begin() + 1, pass.end());
    } else {
      joined.push_back(std::move(pass));
    }
  }
  stack.passes = std::move(joined);
}

}  // namespace kino
