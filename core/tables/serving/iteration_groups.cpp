#include "core/tables/serving/iteration_groups.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

/// Returns the lower median of sorted values; at least one.
std::int64_t lower_median(const std::vector<std::int64_t>& sorted) { return sorted[(sorted.size() - 1) / 2]; }

/// Returns the smallest of sorted values that at least `percent` of them do not exceed.
std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, std::size_t percent) {
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

std::int64_t tokens_per_s(std::int64_t tokens, std::int64_t ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (ns <= 0) return 0;
  if (tokens <= std::numeric_limits<std::int64_t>::max() / kSecond) return tokens * kSecond / ns;
  const double rate = static_cast<double>(tokens) / static_cast<double>(ns) * static_cast<double>(kSecond);
  return rate < 9e18 ? static_cast<std::int64_t>(rate) : std::numeric_limits<std::int64_t>::max();
}

/// Result of the search for a steady state in the windows of a group, in order of time.
struct WarmUp {
  SteadyState steady = SteadyState::too_few;
  std::size_t steady_from = 0;
  std::int64_t median_ns = 0;
};

WarmUp find_warm_up(const std::vector<std::int64_t>& lengths) {
  if (lengths.size() < IterationGroup::kLeastForWarmUp) return {};
  const std::size_t half = lengths.size() / 2;
  std::vector<std::int64_t> later(lengths.begin() + static_cast<std::ptrdiff_t>(half), lengths.end());
  std::ranges::sort(later);
  WarmUp result;
  result.median_ns = lower_median(later);
  for (std::int64_t& length : later)
    length = length < result.median_ns ? result.median_ns - length : length - result.median_ns;
  std::ranges::sort(later);
  const double tolerance = std::max(0.05 * static_cast<double>(result.median_ns),
                                    3 * 1.4826 * static_cast<double>(lower_median(later)));
  std::size_t in_row = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const bool within = static_cast<double>(lengths[i] - result.median_ns) <= tolerance;
    in_row = within ? in_row + 1 : 0;
    if (in_row < 3) continue;
    if (i - 2 > half) break;
    result.steady = SteadyState::reached;
    result.steady_from = i - 2;
    return result;
  }
  result.steady = SteadyState::missing;
  return result;
}

/// Key of a group, and its iterations in order of time.
using GroupKey = std::tuple<IterationPhase, std::int64_t, LaunchedBy>;
using GroupMembers = std::vector<Iteration*>;

IterationGroup group_of(const GroupKey& key, const GroupMembers& members, bool keep_all) {
  IterationGroup group;
  std::tie(group.phase, group.batch, group.launched_by) = key;
  group.iterations = members.size();
  std::vector<std::int64_t> lengths;
  lengths.reserve(members.size());
  for (const Iteration* const iteration : members) lengths.push_back(iteration->window_ns());
  const WarmUp warm_up = find_warm_up(lengths);
  group.steady = warm_up.steady;
  group.steady_from = keep_all ? 0 : warm_up.steady_from;
  for (std::size_t i = 0; i < members.size(); ++i) {
    Iteration& iteration = *members[i];
    if (i < group.steady_from) {
      iteration.left_out = LeftOut::warm_up;
      iteration.steady_ns = warm_up.median_ns;
      continue;
    }
    group.times += iteration.times;
    add_saturating(group.generated, iteration.sizes.generation.value_or(0));
    add_saturating(group.prefilled, iteration.sizes.context_tokens.value_or(0));
  }
  lengths.erase(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(group.steady_from));
  group.windows = window_stats(std::move(lengths));
  return group;
}

}  // namespace

std::int64_t batch_of_group(std::int64_t requests) {
  if (requests <= 0) return 0;
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(requests)));
}

WindowStats window_stats(std::vector<std::int64_t> lengths) {
  WindowStats stats;
  if (lengths.empty()) return stats;
  std::ranges::sort(lengths);
  stats.count = lengths.size();
  for (const std::int64_t length : lengths) add_saturating(stats.sum_ns, length);
  stats.min_ns = lengths.front();
  stats.p50_ns = nearest_rank(lengths, 50);
  stats.p90_ns = nearest_rank(lengths, 90);
  stats.p99_ns = nearest_rank(lengths, 99);
  stats.max_ns = lengths.back();
  return stats;
}

std::int64_t IterationGroup::generated_per_s() const { return tokens_per_s(generated, windows.sum_ns); }
std::int64_t IterationGroup::prefilled_per_s() const { return tokens_per_s(prefilled, windows.sum_ns); }

std::vector<IterationGroup> group_iterations(std::vector<Iteration>& list, bool keep_all) {
  std::map<GroupKey, GroupMembers> members;
  for (Iteration& iteration : list) {
    if (keep_all && iteration.window) iteration.left_out = LeftOut::none;
    if (!iteration.window || iteration.left_out != LeftOut::none) continue;
    const std::int64_t batch = batch_of_group(iteration.requests().value_or(0));
    members[{iteration.phase, batch, iteration.launched_by}].push_back(&iteration);
  }
  std::vector<IterationGroup> groups;
  groups.reserve(members.size());
  for (const auto& [key, iterations] : members) groups.push_back(group_of(key, iterations, keep_all));
  std::ranges::stable_sort(groups, std::greater<>(),
                           [](const IterationGroup& group) { return group.windows.sum_ns; });
  return groups;
}

std::vector<Stall> find_stalls(std::span<const Iteration> list) {
  std::vector<std::int64_t> decodes;
  std::size_t first_generating = list.size();
  std::size_t last_generating = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Iteration& iteration = list[i];
    if (iteration.generates()) {
      first_generating = std::min(first_generating, i);
      last_generating = i;
    }
    const bool decode =
        iteration.phase == IterationPhase::decode || iteration.phase == IterationPhase::verify;
    if (decode && iteration.window && iteration.left_out == LeftOut::none)
      decodes.push_back(iteration.window_ns());
  }
  std::ranges::sort(decodes);
  std::vector<Stall> stalls;
  for (std::size_t i = first_generating; i < list.size(); ++i) {
    const Iteration& iteration = list[i];
    if (!iteration.window || iteration.left_out != LeftOut::none) continue;
    const bool between = i < last_generating;
    if (iteration.phase == IterationPhase::prefill && between) stalls.push_back({i, iteration.window_ns()});
    if (iteration.phase != IterationPhase::mixed || !iteration.generates() || decodes.empty()) continue;
    const std::int64_t beyond_ns = iteration.window_ns() - lower_median(decodes);
    if (beyond_ns > 0) stalls.push_back({i, beyond_ns});
  }
  return stalls;
}

WindowStats time_between_tokens(std::span<const Iteration> list) {
  std::vector<std::int64_t> intervals;
  std::optional<std::int64_t> before_ns;
  for (const Iteration& iteration : list) {
    if (!iteration.generates() || !iteration.window) continue;
    const std::int64_t begin_ns = iteration.window->begin_ns;
    if (before_ns) intervals.push_back(begin_ns - *before_ns);
    before_ns = begin_ns;
  }
  return window_stats(std::move(intervals));
}

}  // namespace kino
