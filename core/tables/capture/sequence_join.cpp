#include "core/tables/capture/sequence_join.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace kino {
namespace {

constexpr std::int64_t kAlignedPercent = 98;
constexpr std::int64_t kMostDifferences = 2'000;
constexpr double kRepeatShare = 0.9;

/// Symbols are equal if two items have the same kind and, for kernels, the same name.
using Symbols = std::vector<std::uint64_t>;

Symbols symbols_of(std::span<const SequenceItem> items) {
  Symbols symbols;
  symbols.reserve(items.size());
  for (const SequenceItem& item : items) {
    const std::uint64_t name = item.kind == NodeKind::kernel ? item.name : 0;
    symbols.push_back(static_cast<std::uint64_t>(item.kind) << 32U | name);
  }
  return symbols;
}

/// Whether no two recorded grids differ.
bool grids_agree(std::span<const SequenceItem> captured, std::span<const SequenceItem> work) {
  for (std::size_t i = 0; i < work.size(); ++i) {
    const bool recorded = captured[i].grid[0] >= 0 && work[i].grid[0] >= 0;
    if (recorded && captured[i].grid != work[i].grid) return false;
  }
  return true;
}

SequenceJoin one_to_one(JoinLevel level, std::size_t count) {
  SequenceJoin join{level, std::vector<std::uint32_t>(count), count, 0};
  std::iota(join.nodes.begin(), join.nodes.end(), 0U);
  return join;
}

/// Returns the indices of the symbols, sorted by symbol, then by index.
std::vector<std::uint32_t> by_symbol(const Symbols& symbols) {
  std::vector<std::uint32_t> indices(symbols.size());
  std::iota(indices.begin(), indices.end(), 0U);
  std::ranges::stable_sort(indices, {}, [&](std::uint32_t index) { return symbols[index]; });
  return indices;
}

/// Returns the size of the intersection of both multisets: an upper bound of a common subsequence.
std::int64_t common_symbols(const Symbols& a, const Symbols& b) {
  std::unordered_map<std::uint64_t, std::int64_t> counts;
  for (const std::uint64_t symbol : a) ++counts[symbol];
  std::int64_t common = 0;
  for (const std::uint64_t symbol : b) {
    const auto found = counts.find(symbol);
    if (found == counts.end() || found->second == 0) continue;
    --found->second;
    ++common;
  }
  return common;
}

/// Finds a longest common subsequence by Myers' greedy algorithm: the farthest point on each diagonal for
/// 0, 1, 2, ... differences.
class Alignment {
 public:
  Alignment(const Symbols& captured, const Symbols& work) : captured_(captured), work_(work) {}

  /// Returns the node of each piece of work; nullopt if there are more differences than `most`.
  std::optional<std::vector<std::uint32_t>> run(std::int64_t most, const std::stop_token& stop) {
    const auto n = static_cast<std::int64_t>(captured_.size());
    const auto m = static_cast<std::int64_t>(work_.size());
    // Diagonals -most - 1 to most + 1: x - y for x captured launches and y pieces of work.
    std::vector<std::int64_t> farthest(static_cast<std::size_t>(2 * most + 3), 0);
    const auto at = [&](std::int64_t diagonal) -> std::int64_t& {
      return farthest[static_cast<std::size_t>(diagonal + most + 1)];
    };
    for (std::int64_t differences = 0; differences <= most; ++differences) {
      if (stop.stop_requested()) return std::nullopt;
      for (std::int64_t diagonal = -differences; diagonal <= differences; diagonal += 2) {
        const bool down = goes_down(at(diagonal - 1), at(diagonal + 1), diagonal, differences);
        std::int64_t x = differences == 0 ? 0 : down ? at(diagonal + 1) : at(diagonal - 1) + 1;
        const std::int64_t begin = x;
        x = after_equal(x, x - diagonal);
        steps_ += static_cast<std::size_t>(x - begin) + 1;
        at(diagonal) = x;
        if (x >= n && x - diagonal >= m) {
          keep(farthest, differences, most);
          return traced(n, m, differences);
        }
      }
      keep(farthest, differences, most);
    }
    return std::nullopt;
  }

  std::size_t steps() const { return steps_; }

 private:
  /// Whether the farthest path to the diagonal skips a piece of work, not a captured launch.
  static bool goes_down(std::int64_t below, std::int64_t above, std::int64_t diagonal,
                        std::int64_t differences) {
    return diagonal == -differences || (diagonal != differences && below < above);
  }

  /// Returns x after the run of equal symbols that starts at (x, y).
  std::int64_t after_equal(std::int64_t x, std::int64_t y) const {
    const auto n = static_cast<std::int64_t>(captured_.size());
    const auto m = static_cast<std::int64_t>(work_.size());
    while (x < n && y < m && y >= 0 &&
           captured_[static_cast<std::size_t>(x)] == work_[static_cast<std::size_t>(y)]) {
      ++x;
      ++y;
    }
    return x;
  }

  /// Saves the diagonals -differences to differences.
  void keep(const std::vector<std::int64_t>& farthest, std::int64_t differences, std::int64_t most) {
    const auto first = farthest.begin() + (most + 1 - differences);
    std::vector<std::uint32_t>& round = rounds_.emplace_back();
    round.reserve(static_cast<std::size_t>(2 * differences + 1));
    for (auto value = first; value != first + (2 * differences + 1); ++value)
      round.push_back(static_cast<std::uint32_t>(std::max<std::int64_t>(*value, 0)));
  }

  /// Walks back from the end through the saved rounds.
  std::vector<std::uint32_t> traced(std::int64_t x, std::int64_t y, std::int64_t differences) const {
    std::vector<std::uint32_t> nodes(work_.size(), SequenceJoin::kNone);
    for (; differences >= 0; --differences) {
      const std::int64_t diagonal = x - y;
      std::int64_t before_x = 0;
      std::int64_t before_y = 0;
      if (differences > 0) {
        const std::vector<std::uint32_t>& round = rounds_[static_cast<std::size_t>(differences - 1)];
        const auto value = [&](std::int64_t of) {
          const std::int64_t index = of + differences - 1;
          const bool inside = index >= 0 && index < static_cast<std::int64_t>(round.size());
          return inside ? static_cast<std::int64_t>(round[static_cast<std::size_t>(index)]) : 0;
        };
        const bool down = goes_down(value(diagonal - 1), value(diagonal + 1), diagonal, differences);
        before_x = down ? value(diagonal + 1) : value(diagonal - 1);
        before_y = before_x - (down ? diagonal + 1 : diagonal - 1);
        // The step to this diagonal precedes the run of equal symbols.
        const std::int64_t run_begin = down ? before_x : before_x + 1;
        for (; x > run_begin; --x, --y)
          nodes[static_cast<std::size_t>(y - 1)] = static_cast<std::uint32_t>(x - 1);
      } else {
        for (; x > 0 && y > 0; --x, --y)
          nodes[static_cast<std::size_t>(y - 1)] = static_cast<std::uint32_t>(x - 1);
      }
      x = before_x;
      y = before_y;
    }
    return nodes;
  }

  const Symbols& captured_;
  const Symbols& work_;
  std::vector<std::vector<std::uint32_t>> rounds_;  // by number of differences
  std::size_t steps_ = 0;
};

SequenceJoin aligned(const Symbols& captured, const Symbols& work, const std::stop_token& stop) {
  const auto longer = static_cast<std::int64_t>(std::max(captured.size(), work.size()));
  const std::int64_t least = (kAlignedPercent * longer + 99) / 100;
  const auto both = static_cast<std::int64_t>(captured.size() + work.size());
  const std::int64_t most = std::min(kMostDifferences, both - 2 * least);
  if (least == 0 || most < 0 || common_symbols(captured, work) < least) return {};
  Alignment alignment(captured, work);
  auto nodes = alignment.run(most, stop);
  SequenceJoin join;
  join.steps = alignment.steps();
  if (!nodes) return join;
  join.level = JoinLevel::aligned;
  join.nodes = std::move(*nodes);
  join.joined =
      join.nodes.size() - static_cast<std::size_t>(std::ranges::count(join.nodes, SequenceJoin::kNone));
  return join;
}

/// Joins the k-th occurrence of each symbol, if all symbols are equally frequent.
SequenceJoin by_occurrence(const Symbols& captured, const Symbols& work) {
  const std::vector<std::uint32_t> nodes = by_symbol(captured);
  const std::vector<std::uint32_t> pieces = by_symbol(work);
  SequenceJoin join{JoinLevel::occurrence, std::vector<std::uint32_t>(work.size()), work.size(), 0};
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (captured[nodes[i]] != work[pieces[i]]) return {};
    join.nodes[pieces[i]] = nodes[i];
  }
  return join;
}

/// Whether equal calls in the capture started kernels of equal names. A capture without repeated calls does
/// not prove anything.
bool names_follow_calls(std::span<const SequenceItem> captured, const Symbols& work) {
  std::map<std::uint32_t, std::unordered_map<std::uint64_t, std::size_t>> names;  // by call
  for (std::size_t i = 0; i < captured.size(); ++i) ++names[captured[i].call][work[i]];
  std::size_t repeats = 0;
  std::size_t equal = 0;
  for (const auto& [call, counts] : names) {
    std::size_t all = 0;
    std::size_t most = 0;
    for (const auto& [name, count] : counts) {
      all += count;
      most = std::max(most, count);
    }
    repeats += all - 1;
    equal += most - 1;
  }
  return repeats > 0 && static_cast<double>(equal) >= kRepeatShare * static_cast<double>(repeats);
}

SequenceJoin first_level(std::span<const SequenceItem> captured, std::span<const SequenceItem> work,
                         const std::stop_token& stop) {
  const bool equal_length = captured.size() == work.size();
  const Symbols work_symbols = symbols_of(work);
  if (!has_names(captured)) {
    const bool equal_kinds =
        equal_length && std::ranges::equal(captured, work, {}, &SequenceItem::kind, &SequenceItem::kind);
    if (equal_kinds && names_follow_calls(captured, work_symbols))
      return one_to_one(JoinLevel::order, work.size());
    return {};
  }
  const Symbols captured_symbols = symbols_of(captured);
  if (captured_symbols == work_symbols && grids_agree(captured, work))
    return one_to_one(JoinLevel::exact, work.size());
  SequenceJoin join = aligned(captured_symbols, work_symbols, stop);
  if (join.level != JoinLevel::none || !equal_length) return join;
  SequenceJoin counted = by_occurrence(captured_symbols, work_symbols);
  counted.steps = join.steps;
  return counted;
}

}  // namespace

std::string_view text_of(JoinLevel level) {
  constexpr std::array<std::string_view, kJoinLevelCount> kTexts{"exact", "aligned", "occurrence", "order",
                                                                 "none"};
  return kTexts[static_cast<std::size_t>(level)];
}

bool has_names(std::span<const SequenceItem> captured) {
  bool kernels = false;
  for (const SequenceItem& item : captured) {
    if (item.kind != NodeKind::kernel) continue;
    if (item.name == SequenceItem::kUnnamed) return false;
    kernels = true;
  }
  return kernels;
}

SequenceJoin join_sequences(std::span<const SequenceItem> captured, std::span<const SequenceItem> work,
                            const std::stop_token& stop) {
  if (captured.empty() || work.empty()) return {};
  SequenceJoin join = first_level(captured, work, stop);
  // Hashing and sorting an item costs about as much as 16 steps of the alignment.
  join.steps += 16 * (captured.size() + work.size());
  return join;
}

}  // namespace kino
