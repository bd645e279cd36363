#include "core/job/job_analysis.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace kino {

namespace {

/// Of its whole steps in all.
std::int64_t own_lateness_ns(const RankBlame& blame) {
  return std::int64_t{blame.steps} * blame.step_late_ns;
}

/// Why, of all that were late, and how often.
void set_causes(JobAnalysis& job, std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                const std::stop_token& stop) {
  job.causes = late_causes(ranks, kernels, job.matched, job.clocks, job.waits, stop);
  job.blame = blame_of(job.causes, ranks);
  job.whole_steps = static_cast<std::uint32_t>(whole_steps_of(ranks).size());
}

}  // namespace

const LateCause* JobAnalysis::cause_of(std::uint32_t collective) const {
  const auto found = std::ranges::lower_bound(causes, collective, {}, &LateCause::collective);
  return found != causes.end() && found->collective == collective ? &*found : nullptr;
}

std::optional<std::uint32_t> JobAnalysis::culprit() const {
  const std::optional<std::uint32_t> most = waited_for_most();
  if (most && recurs(*most)) return most;
  std::optional<std::uint32_t> found;
  for (std::uint32_t i = 0; i < blame.size(); ++i) {
    if (recurs(i) && (!found || own_lateness_ns(blame[i]) > own_lateness_ns(blame[*found]))) found = i;
  }
  return found ? found : most;
}

bool JobAnalysis::recurs(std::uint32_t index) const {
  constexpr std::uint32_t kFewest = 3;
  return blame[index].steps >= kFewest && 2 * blame[index].steps > whole_steps;
}

std::vector<std::uint32_t> JobAnalysis::to_blame() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < blame.size(); ++i) {
    if (blame[i].caused_ns > 0) found.push_back(i);
  }
  const std::optional<std::uint32_t> first = culprit();
  std::ranges::stable_sort(found, std::ranges::greater{}, [&](std::uint32_t i) {
    return std::tuple(first == i, recurs(i), blame[i].caused_ns);
  });
  return found;
}

std::optional<std::uint32_t> JobAnalysis::waited_for_most() const {
  const std::int64_t waiting = waits.waiting_ns() - pipeline_ns();
  const auto most = std::ranges::max_element(blame, {}, &RankBlame::caused_ns);
  const bool stands_out = most != blame.end() && most->caused_ns > 0 && most->caused_ns >= waiting / 2 &&
                          most->caused_ns >= (waits.waiting_ns() + waits.moving_ns()) / 100;
  if (!stands_out) return std::nullopt;
  return static_cast<std::uint32_t>(most - blame.begin());
}

std::int64_t JobAnalysis::pipeline_ns() const {
  // What was waited for ranks that are named, which all have a cause, less what goes back to a root.
  std::int64_t sum = 0;
  for (const RankWaits& it : waits.ranks) sum += it.caused_ns;
  for (const RankBlame& it : blame) sum -= it.caused_ns;
  return sum;
}

std::int64_t JobAnalysis::begin_ns() const {
  std::int64_t begin = 0;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t first = clocks.common_ns(i, ranks[i]->first_ns);
    begin = i == 0 ? first : std::min(begin, first);
  }
  return begin;
}

std::int64_t JobAnalysis::end_ns() const {
  std::int64_t end = 0;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t last = clocks.common_ns(i, ranks[i]->last_ns);
    end = i == 0 ? last : std::max(end, last);
  }
  return end;
}

JobAnalysis analyze_job(const Job& job, const std::stop_token& stop) {
  JobAnalysis out;
  std::set<std::int64_t> known;
  for (const Recording& recording : job.recordings) {
    auto digest = recording.digest();
    if (digest == nullptr) continue;
    out.world_size = std::max(out.world_size, digest->world_size);
    known.insert(digest->rank);
    const auto snapshot = job.snapshots.find(digest->rank);
    out.snapshots.push_back(snapshot == job.snapshots.end() ? nullptr : snapshot->second);
    out.ranks.push_back(std::move(digest));
  }
  // A world of millions is a mistake of the file, and its list would be one of ours.
  constexpr std::int64_t kMostRanks = 1 << 20;
  for (std::int64_t rank = 0; rank < std::min(out.world_size, kMostRanks); ++rank) {
    if (!known.contains(rank)) out.missing.push_back(rank);
  }
  std::vector<const RankDigest*> ranks;
  for (const auto& digest : out.ranks) ranks.push_back(digest.get());
  const JobKernels kernels = job_kernels(ranks, stop);
  if (stop.stop_requested()) return out;
  {
    CollectiveMatcher matcher(ranks, kernels, stop);
    out.matched = matcher.match();
    if (stop.stop_requested()) return out;
    out.clocks = fit_clocks(ranks, kernels, out.matched, stop);
    std::vector<double> offsets;
    for (const RankClock& clock : out.clocks.ranks) offsets.push_back(clock.offset_ns);
    if (!offsets.empty() && matcher.refine(offsets, out.matched))
      out.clocks = fit_clocks(ranks, kernels, out.matched, stop);
  }
  if (stop.stop_requested()) return out;
  out.waits = job_waits(kernels, out.matched, out.clocks, stop);
  if (stop.stop_requested()) return out;
  set_causes(out, ranks, kernels, stop);
  out.gpu = gpu_index(ranks);
  out.overlap_cost = overlap_cost(ranks);
  return out;
}

JobAnalysis with_clocks(const JobAnalysis& job, JobClocks clocks, const std::stop_token& stop) {
  JobAnalysis out = job;
  out.clocks = std::move(clocks);
  std::vector<const RankDigest*> ranks;
  for (const auto& digest : out.ranks) ranks.push_back(digest.get());
  const JobKernels kernels = job_kernels(ranks, stop);
  if (stop.stop_requested()) return out;
  out.waits = job_waits(kernels, out.matched, out.clocks, stop);
  if (stop.stop_requested()) return out;
  set_causes(out, ranks, kernels, stop);
  return out;
}

}  // namespace kino
