#include "core/job/job_analysis.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace kino {

namespace {

/// Returns the lateness of a rank over the steps in which it was late, estimated as their number times their
/// median lateness.
std::int64_t own_lateness_ns(const StragglerStats& blame) {
  return std::int64_t{blame.steps} * blame.step_late_ns;
}

std::vector<const RankDigest*> pointers_to(const JobAnalysis& job) {
  std::vector<const RankDigest*> ranks(job.ranks.size());
  std::ranges::transform(job.ranks, ranks.begin(), [](const auto& digest) { return digest.get(); });
  return ranks;
}

/// Computes waits, causes and links from the current matches and clocks.
void set_waits(JobAnalysis& job, std::span<const RankDigest* const> ranks, const JobKernels& kernels,
               const std::stop_token& stop) {
  job.waits = job_waits(ranks, kernels, job.matched, job.clocks, stop);
  if (stop.stop_requested()) return;
  job.links = link_speeds(job.ranks, job.matched, job.waits, stop);
  job.causes = late_causes(ranks, kernels, job.matched, job.clocks, job.waits, stop);
  job.blame = straggler_stats(job.causes, ranks);
  job.unrecorded_ns = 0;
  for (const LateCause& cause : job.causes) {
    if (cause.is_unrecorded()) job.unrecorded_ns += job.waits.collectives[cause.collective].waiting_ns;
  }
  job.whole_steps = static_cast<std::uint32_t>(whole_steps_of(ranks).size());
}

}  // namespace

std::vector<const LinkSpeed*> JobAnalysis::slow_links() const {
  std::vector<const LinkSpeed*> slow;
  for (const LinkSpeed& link : links) {
    if (link.slow() && link_of(link.group) == &link) slow.push_back(&link);
  }
  std::ranges::stable_sort(slow, std::ranges::greater{}, &LinkSpeed::lost_ns);
  return slow;
}

const LinkSpeed* JobAnalysis::link_of(std::uint32_t group) const {
  const auto weight = [](const LinkSpeed& link) {
    return std::tuple(link.slow(), link.slow() ? link.lost_ns : std::int64_t{link.transfers});
  };
  const auto begin = std::ranges::lower_bound(links, group, {}, &LinkSpeed::group);
  const auto end = std::ranges::upper_bound(links, group, {}, &LinkSpeed::group);
  const auto most = std::ranges::max_element(begin, end, {}, weight);
  return most == end ? nullptr : &*most;
}

const LateCause* JobAnalysis::cause_of(std::uint32_t collective) const {
  const auto found = std::ranges::lower_bound(causes, collective, {}, &LateCause::collective);
  return found != causes.end() && found->collective == collective ? &*found : nullptr;
}

std::optional<NoVerdict> JobAnalysis::no_verdict() const {
  if (!doubled.empty()) return NoVerdict::doubled;
  if (waits.collectives.empty()) {
    if (waits.not_waiting > 0) return NoVerdict::not_waiting;
    return waits.rejected > 0 ? NoVerdict::rejected : NoVerdict::unmatched;
  }
  if (waits.outside_collectives == waits.collectives.size()) return NoVerdict::not_together;
  const std::optional<std::uint32_t> most = late_most();
  if (!most || waited_for_most()) return std::nullopt;
  for (std::uint32_t i = 0; i < blame.size(); ++i) {
    if (recurs(i)) return std::nullopt;
  }
  return NoVerdict::before;
}

std::string JobAnalysis::device_word() const {
  for (const std::shared_ptr<const RankDigest>& rank : ranks) {
    for (const CommunicationOperation& operation : rank->kernels.operations()) {
      if (operation.custom) continue;
      const std::string_view name = rank->texts[operation.algorithm];
      return name.starts_with("hccl") || name.starts_with("hcom") ? "NPU" : "GPU";
    }
  }
  return "GPU";
}

std::optional<std::uint32_t> JobAnalysis::straggler() const {
  if (no_verdict()) return std::nullopt;
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
  constexpr std::size_t kPeers = 15;
  const StragglerStats& own = blame[index];
  // Two late steps suffice instead of three if the job has only two whole steps, and if each of many other
  // ranks is at most half as late.
  if (whole_steps == 2 && own.steps == 2 && blame.size() > kPeers) {
    return std::ranges::none_of(blame, [&](const StragglerStats& rank) {
      return &rank != &own && 2 * rank.most_late_ns > own.step_late_ns;
    });
  }
  return blame[index].steps >= kFewest && 2 * blame[index].steps > whole_steps;
}

std::vector<std::uint32_t> JobAnalysis::stragglers() const {
  std::vector<std::uint32_t> found;
  if (no_verdict()) return found;
  for (std::uint32_t i = 0; i < blame.size(); ++i) {
    if (blame[i].caused_ns > 0) found.push_back(i);
  }
  const std::optional<std::uint32_t> first = straggler();
  std::ranges::stable_sort(found, std::ranges::greater{}, [&](std::uint32_t i) {
    return std::tuple(first == i, recurs(i), blame[i].caused_ns);
  });
  return found;
}

std::vector<std::uint32_t> JobAnalysis::notable_stragglers() const {
  constexpr std::size_t kMost = 3;
  constexpr double kLeastShare = 0.05;
  const auto least = static_cast<std::int64_t>(
      kLeastShare * static_cast<double>(waits.recorded_waiting_ns() - pipeline_ns()));
  std::vector<std::uint32_t> notable;
  for (const std::uint32_t i : stragglers()) {
    if (notable.size() == kMost) break;
    if (blame[i].caused_ns > least || recurs(i)) notable.push_back(i);
  }
  return notable;
}

std::optional<std::uint32_t> JobAnalysis::waited_for_most() const {
  const std::optional<std::uint32_t> most = late_most();
  if (!most || 2 * blame[*most].first_kernel_ns > blame[*most].caused_ns) return std::nullopt;
  return most;
}

std::optional<std::uint32_t> JobAnalysis::late_most() const {
  const std::int64_t waiting = waits.recorded_waiting_ns() - pipeline_ns();
  const auto most = std::ranges::max_element(blame, {}, &StragglerStats::caused_ns);
  const bool stands_out =
      most != blame.end() && most->caused_ns > 0 && most->caused_ns >= waiting / 2 &&
      most->caused_ns >= (waits.recorded_waiting_ns() + waits.recorded_transfer_sum_ns()) / 100;
  if (!stands_out) return std::nullopt;
  return static_cast<std::uint32_t>(most - blame.begin());
}

std::int64_t JobAnalysis::unnamed_ns() const {
  std::int64_t sum = waits.recorded_waiting_ns();
  for (const RankWaits& rank : waits.ranks) sum -= rank.caused_ns;
  return sum;
}

std::int64_t JobAnalysis::pipeline_ns() const {
  // Time spent waiting for ranks that are CollectiveWait::last, minus the parts that have a root cause or an
  // unrecorded origin.
  std::int64_t sum = -unrecorded_ns;
  for (const RankWaits& rank : waits.ranks) sum += rank.caused_ns;
  for (const StragglerStats& rank : blame) sum -= rank.caused_ns;
  return sum;
}

TimeRange JobAnalysis::range() const {
  TimeRange range;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    const TimeRange own{clocks.common_ns(i, ranks[i]->first_ns), clocks.common_ns(i, ranks[i]->last_ns)};
    if (i == 0) range = own;
    range = {std::min(range.begin_ns, own.begin_ns), std::max(range.end_ns, own.end_ns)};
  }
  return range;
}

MemoryMeasure JobAnalysis::measure_of(std::size_t index) const {
  const bool allocated = ranks[index]->memory.peak_bytes >= 0;
  const bool requested = snapshots[index] != nullptr && snapshots[index]->memory.peak_bytes >= 0;
  if (allocated && requested) return memory_measure;
  return requested ? MemoryMeasure::requested : MemoryMeasure::allocated;
}

JobAnalysis analyze_job(const Job& job, const std::stop_token& stop) {
  JobAnalysis out;
  out.doubled = job.doubled;
  std::set<std::int64_t> known;
  for (std::size_t i = 0; i < job.recordings.size(); ++i) {
    auto digest = job.recordings[i].digest();
    if (digest == nullptr) continue;
    if (i < job.names.size()) out.names.push_back(job.names[i]);
    out.world_size = std::max(out.world_size, digest->world_size);
    known.insert(digest->rank);
    const auto snapshot = job.snapshots.find(digest->rank);
    out.snapshots.push_back(snapshot == job.snapshots.end() ? nullptr : snapshot->second);
    out.ranks.push_back(std::move(digest));
  }
  const auto allocated =
      std::ranges::count_if(out.ranks, [](const auto& rank) { return rank->memory.peak_bytes >= 0; });
  const auto requested = std::ranges::count_if(
      out.snapshots, [](const auto& rank) { return rank != nullptr && rank->memory.peak_bytes >= 0; });
  // If the numbers are equal, use snapshots, because the pages of a snapshot also show this measure.
  out.memory_measure = requested >= allocated ? MemoryMeasure::requested : MemoryMeasure::allocated;
  // A world size of millions is an error in the file; do not list all of its missing ranks.
  constexpr std::int64_t kMostRanks = 1 << 20;
  for (std::int64_t rank = 0; rank < std::min(out.world_size, kMostRanks); ++rank) {
    if (!known.contains(rank)) out.missing.push_back(rank);
  }
  const std::vector<const RankDigest*> ranks = pointers_to(out);
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
  set_waits(out, ranks, kernels, stop);
  if (stop.stop_requested()) return out;
  out.gpu = gpu_index(ranks, stop);
  out.overlap_cost = overlap_cost(ranks);
  return out;
}

JobAnalysis with_clocks(const JobAnalysis& job, JobClocks clocks, const std::stop_token& stop) {
  JobAnalysis out = job;
  out.clocks = std::move(clocks);
  const std::vector<const RankDigest*> ranks = pointers_to(out);
  const JobKernels kernels = job_kernels(ranks, stop);
  if (!stop.stop_requested()) set_waits(out, ranks, kernels, stop);
  return out;
}

}  // namespace kino
