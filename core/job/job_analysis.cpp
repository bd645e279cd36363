#include "core/job/job_analysis.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace kino {

std::optional<std::uint32_t> JobAnalysis::culprit() const {
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
  out.causes = late_causes(ranks, kernels, out.matched, out.clocks, out.waits, stop);
  out.blame = blame_of(out.causes, ranks.size());
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
  out.causes = late_causes(ranks, kernels, out.matched, out.clocks, out.waits, stop);
  out.blame = blame_of(out.causes, ranks.size());
  return out;
}

}  // namespace kino
