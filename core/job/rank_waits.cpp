#include "core/job/rank_waits.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

struct Arrival {
  std::uint32_t rank = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
};

/// Returns the time that one kernel waits if the last member of its collective arrived at `latest_ns`.
std::int64_t waited_ns(std::int64_t latest_ns, std::int64_t start_ns, std::int64_t duration_ns) {
  return std::clamp<std::int64_t>(latest_ns - start_ns, 0, duration_ns);
}

/// Returns the time from the latest start to the earliest end of the recordings with communication kernels.
TimeRange recorded_by_all(std::span<const RankDigest* const> ranks, const JobClocks& clocks) {
  std::optional<TimeRange> recorded;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    const CommunicationKernels& kernels = ranks[i]->kernels;
    if (kernels.empty()) continue;
    const TimeRange own{
        clocks.common_ns(i, std::min(ranks[i]->first_ns, kernels.start_ns(0))),
        clocks.common_ns(i, std::max(ranks[i]->last_ns, kernels.start_ns(kernels.size() - 1)))};
    if (!recorded) recorded = own;
    recorded->begin_ns = std::max(recorded->begin_ns, own.begin_ns);
    recorded->end_ns = std::min(recorded->end_ns, own.end_ns);
  }
  if (!recorded) return {};
  return {recorded->begin_ns, std::max(recorded->begin_ns, recorded->end_ns)};
}

/// Returns the waiting of one collective and the time of the last arrival. Adds to the sums of the ranks.
std::pair<CollectiveWait, std::int64_t> wait_of(const std::vector<Arrival>& arrivals,
                                                std::int64_t tolerance_ns, const TimeRange& recorded,
                                                std::vector<RankWaits>& ranks) {
  CollectiveWait wait;
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  std::int64_t second = latest;
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_end = latest;
  wait.shortest_ns = first_end;
  for (const Arrival& arrival : arrivals) {
    wait.outside = wait.outside || arrival.start_ns < recorded.begin_ns || arrival.start_ns > recorded.end_ns;
    if (arrival.start_ns > latest) {
      second = latest;
      latest = arrival.start_ns;
      wait.latest = arrival.rank;
    } else {
      second = std::max(second, arrival.start_ns);
    }
    first_end = std::min(first_end, arrival.start_ns + arrival.duration_ns);
    last_end = std::max(last_end, arrival.start_ns + arrival.duration_ns);
    wait.shortest_ns = std::min(wait.shortest_ns, arrival.duration_ns);
  }
  wait.arrival_gap_ns = latest - second;
  wait.transfer_ns = last_end - latest;
  wait.end_spread_ns = last_end - first_end;
  for (const Arrival& arrival : arrivals) {
    const std::int64_t waited = waited_ns(latest, arrival.start_ns, arrival.duration_ns);
    RankWaits& rank = ranks[arrival.rank];
    ++rank.collectives;
    rank.waiting_ns += waited;
    rank.transfer_sum_ns += arrival.duration_ns - waited;
    wait.waiting_ns += waited;
    wait.transfer_sum_ns += arrival.duration_ns - waited;
  }
  if (wait.outside || wait.arrival_gap_ns <= tolerance_ns) return {wait, latest};
  wait.last = wait.latest;
  RankWaits& straggler = ranks[wait.last];
  ++straggler.times_last;
  straggler.caused_ns += wait.waiting_ns;
  straggler.saved_ns += static_cast<std::int64_t>(arrivals.size() - 1) * wait.arrival_gap_ns;
  return {wait, latest};
}

void add(const std::vector<RankWaits>& more, std::vector<RankWaits>& sums) {
  for (std::size_t r = 0; r < sums.size(); ++r) {
    sums[r].waiting_ns += more[r].waiting_ns;
    sums[r].transfer_sum_ns += more[r].transfer_sum_ns;
    sums[r].caused_ns += more[r].caused_ns;
    sums[r].saved_ns += more[r].saved_ns;
    sums[r].collectives += more[r].collectives;
    sums[r].times_last += more[r].times_last;
  }
}

std::int64_t sum_of(const std::vector<RankWaits>& ranks, std::int64_t RankWaits::*member) {
  std::int64_t sum = 0;
  for (const RankWaits& rank : ranks) sum += rank.*member;
  return sum;
}

/// Lists the collectives in which ranks wait for each other, and counts the others.
void list_collectives(const MatchedJob& job, const JobClocks& clocks, JobWaits& waits) {
  for (std::uint32_t i = 0; i < job.instances.size(); ++i) {
    const CollectiveInstance& instance = job.instances[i];
    const bool rejected = instance.level == MatchLevel::rejected;
    const bool waiting = clocks.synchronizing[instance.group] != 0;
    waits.rejected += rejected ? 1 : 0;
    waits.not_waiting += !rejected && !waiting ? 1 : 0;
    if (rejected || !waiting) continue;
    waits.collectives.emplace_back().instance = i;
  }
}

}  // namespace

KernelWaits::KernelWaits(std::span<const KernelWait> waits) {
  std::vector<std::int64_t> values;
  values.reserve(2 * waits.size());
  for (const KernelWait& wait : waits) {
    values.push_back(std::int64_t{wait.collective + 1});
    values.push_back(wait.waiting_ns);
  }
  table_ = PackedTable(2, values);
}

std::int64_t JobWaits::waiting_ns() const { return sum_of(ranks, &RankWaits::waiting_ns); }
std::int64_t JobWaits::transfer_sum_ns() const { return sum_of(ranks, &RankWaits::transfer_sum_ns); }

JobWaits job_waits(std::span<const RankDigest* const> ranks, const JobKernels& kernels, const MatchedJob& job,
                   const JobClocks& clocks, const std::stop_token& stop) {
  const unsigned threads = thread_count_or_default(0);
  JobWaits waits;
  waits.ranks.resize(kernels.ranks.size());
  waits.kernels.resize(kernels.ranks.size());
  std::vector<std::vector<std::uint32_t>> collective_of(kernels.ranks.size());  // by rank and kernel
  parallel_for(threads, kernels.ranks.size(), stop, [&](std::size_t r, unsigned) {
    collective_of[r].assign(kernels.ranks[r].size(), KernelWait::kUnmatched);
  });
  list_collectives(job, clocks, waits);
  waits.tolerance_ns = clocks.tolerance_ns();
  waits.recorded = recorded_by_all(ranks, clocks);
  std::vector<std::int64_t> latest_ns(waits.collectives.size());
  if (stop.stop_requested()) return waits;
  constexpr std::size_t kPart = 4096;
  const std::size_t count = waits.collectives.size();
  std::vector<std::vector<RankWaits>> sums(threads, waits.ranks);
  std::vector<std::vector<Arrival>> arrivals(threads);
  parallel_for(threads, (count + kPart - 1) / kPart, stop, [&](std::size_t part, unsigned worker) {
    for (std::size_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) {
      CollectiveWait& wait = waits.collectives[i];
      arrivals[worker].clear();
      for (const RankKernel& member : job.instances[wait.instance].kernels) {
        const KernelColumns& columns = kernels.ranks[member.rank];
        const std::int64_t start_ns = columns.start_ns(member.kernel);
        arrivals[worker].push_back(
            {member.rank, clocks.common_ns(member.rank, start_ns), columns.end_ns(member.kernel) - start_ns});
        collective_of[member.rank][member.kernel] = static_cast<std::uint32_t>(i);
      }
      const std::uint32_t instance = wait.instance;
      std::tie(wait, latest_ns[i]) =
          wait_of(arrivals[worker], waits.tolerance_ns, waits.recorded, sums[worker]);
      wait.instance = instance;
    }
  });
  for (const std::vector<RankWaits>& worker_sums : sums) add(worker_sums, waits.ranks);
  for (const CollectiveWait& wait : waits.collectives) {
    if (!wait.outside) continue;
    ++waits.outside_collectives;
    waits.outside_waiting_ns += wait.waiting_ns;
    waits.outside_transfer_sum_ns += wait.transfer_sum_ns;
  }
  parallel_for(threads, kernels.ranks.size(), stop, [&](std::size_t r, unsigned) {
    const std::vector<std::uint32_t> numbers = std::move(collective_of[r]);
    std::vector<KernelWait> of_rank(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (numbers[k] == KernelWait::kUnmatched) continue;
      const std::int64_t start_ns = kernels.ranks[r].start_ns(k);
      of_rank[k] = {numbers[k], waited_ns(latest_ns[numbers[k]],
                                          clocks.common_ns(static_cast<std::uint32_t>(r), start_ns),
                                          kernels.ranks[r].end_ns(k) - start_ns)};
    }
    waits.kernels[r] = KernelWaits(of_rank);
  });
  return waits;
}

}  // namespace kino
