#include "core/job/step_waits.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace kino {

namespace {

std::optional<std::uint32_t> rank_with_most(const std::vector<StepWaits>& ranks,
                                            std::int64_t StepWaits::*member) {
  const auto most = std::ranges::max_element(ranks, {}, member);
  if (most == ranks.end() || (*most).*member == 0) return std::nullopt;
  return static_cast<std::uint32_t>(most - ranks.begin());
}

}  // namespace

std::optional<std::uint32_t> JobStep::straggler() const {
  return rank_with_most(ranks, &StepWaits::caused_ns);
}
std::optional<std::uint32_t> JobStep::root() const { return rank_with_most(ranks, &StepWaits::root_ns); }

std::optional<StepLength> step_length(std::vector<std::int64_t> lengths_ns) {
  if (lengths_ns.empty()) return std::nullopt;
  std::ranges::sort(lengths_ns);
  const std::int64_t lower = lengths_ns[(lengths_ns.size() - 1) / 2];
  const std::int64_t upper = lengths_ns[lengths_ns.size() / 2];
  return StepLength{std::midpoint(lower, upper), lengths_ns.front(), lengths_ns.back()};
}

std::vector<JobStep> steps_of(const JobAnalysis& job) {
  std::map<std::int64_t, std::vector<StepWaits>> steps;
  const auto at = [&](std::int64_t number, std::size_t rank) -> StepWaits& {
    std::vector<StepWaits>& ranks = steps[number];
    ranks.resize(job.ranks.size());
    return ranks[rank];
  };
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const RankDigest& rank = *job.ranks[i];
    for (const RankStep& step : rank.steps) {
      StepWaits& sums = at(step.number, i);
      sums.length_ns = step.range.length_ns();
      // The snapshot's curve is thinned, so the value at the step's start can be a peak from before the step.
      sums.peak_bytes = job.measure_of(i) == MemoryMeasure::allocated
                            ? step.peak_bytes
                            : peak_within(job.memory(i).curve, step.range.begin_ns, step.range.end_ns);
    }
    for (std::size_t k = 0; k < rank.kernels.size() && i < job.waits.kernels.size(); ++k) {
      const KernelWait wait = job.waits.kernels[i][k];
      if (wait.collective == KernelWait::kUnmatched) continue;
      StepWaits& sums = at(rank.kernels.step(k), i);
      sums.waiting_ns += wait.waiting_ns;
      sums.transfer_sum_ns += rank.kernels.duration_ns(k) - wait.waiting_ns;
      ++sums.collectives;
      const CollectiveWait& all = job.waits.collectives[wait.collective];
      if (all.last != i) continue;
      sums.caused_ns += all.waiting_ns;
      ++sums.times_last;
    }
  }
  for (const LateCause& cause : job.causes) {
    if (cause.caused_ns == 0) continue;
    // Count the waiting in the step that launched the collective, because that step takes longer.
    const CollectiveWait& wait = job.waits.collectives[cause.collective];
    const RankKernel& any = job.matched.instances[wait.instance].kernels.front();
    StepWaits& sums = at(job.ranks[any.rank]->kernels.step(any.kernel), cause.root);
    sums.root_ns += cause.caused_ns;
    if (cause.caused_ns <= sums.root_longest_ns) continue;
    sums.root_longest_ns = cause.caused_ns;
    sums.root_collective = cause.collective;
  }
  std::vector<JobStep> found;
  found.reserve(steps.size());
  for (auto& [number, ranks] : steps) found.push_back({number, std::move(ranks)});
  return found;
}

}  // namespace kino
