#include "core/job/rank_waits.hpp"

#include <algorithm>
#include <limits>

namespace kino {
namespace {

struct Arrival {
  std::uint32_t rank = 0;
  std::uint32_t kernel = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
};

// As the next of `job`.
CollectiveWait wait_of(const std::vector<Arrival>& arrivals, JobWaits& job) {
  std::vector<RankWaits>& ranks = job.ranks;
  CollectiveWait wait;
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  std::int64_t second = latest;
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_end = latest;
  wait.shortest_ns = first_end;
  for (const Arrival& it : arrivals) {
    if (it.start_ns > latest) {
      second = latest;
      latest = it.start_ns;
      wait.latest = it.rank;
    } else {
      second = std::max(second, it.start_ns);
    }
    first_end = std::min(first_end, it.start_ns + it.duration_ns);
    last_end = std::max(last_end, it.start_ns + it.duration_ns);
    wait.shortest_ns = std::min(wait.shortest_ns, it.duration_ns);
  }
  wait.lead_ns = latest - second;
  wait.transfer_ns = last_end - latest;
  wait.end_spread_ns = last_end - first_end;
  for (const Arrival& it : arrivals) {
    const std::int64_t waited = std::clamp<std::int64_t>(latest - it.start_ns, 0, it.duration_ns);
    RankWaits& rank = ranks[it.rank];
    ++rank.collectives;
    job.kernels[it.rank][it.kernel] = {static_cast<std::uint32_t>(job.collectives.size()), waited};
    rank.waiting_ns += waited;
    rank.moving_ns += it.duration_ns - waited;
    wait.waiting_ns += waited;
    wait.moving_ns += it.duration_ns - waited;
  }
  if (wait.lead_ns <= job.tolerance_ns) return wait;
  wait.last = wait.latest;
  RankWaits& culprit = ranks[wait.last];
  ++culprit.times_last;
  culprit.caused_ns += wait.waiting_ns;
  culprit.saved_ns += static_cast<std::int64_t>(arrivals.size() - 1) * wait.lead_ns;
  return wait;
}

}  // namespace

std::int64_t JobWaits::waiting_ns() const {
  std::int64_t sum = 0;
  for (const RankWaits& rank : ranks) sum += rank.waiting_ns;
  return sum;
}

std::int64_t JobWaits::moving_ns() const {
  std::int64_t sum = 0;
  for (const RankWaits& rank : ranks) sum += rank.moving_ns;
  return sum;
}

JobWaits job_waits(std::span<const RankDigest* const> ranks, const MatchedJob& job, const JobClocks& clocks,
                   const std::stop_token& stop) {
  JobWaits waits;
  waits.ranks.resize(ranks.size());
  for (const RankDigest* const rank : ranks) waits.kernels.emplace_back(rank->kernels.size());
  waits.tolerance_ns = clocks.tolerance_ns();
  std::vector<Arrival> arrivals;
  for (std::uint32_t i = 0; i < job.instances.size(); ++i) {
    if (i % 1024 == 0 && stop.stop_requested()) return waits;
    const CollectiveInstance& instance = job.instances[i];
    if (instance.level == MatchLevel::rejected || clocks.synchronising[instance.group] == 0) continue;
    arrivals.clear();
    for (const RankKernel& it : instance.kernels) {
      const CommunicationKernel& kernel = ranks[it.rank]->kernels[it.kernel];
      arrivals.push_back(
          {it.rank, it.kernel, clocks.common_ns(it.rank, kernel.start_ns), kernel.duration_ns});
    }
    CollectiveWait wait = wait_of(arrivals, waits);
    wait.instance = i;
    waits.collectives.push_back(wait);
  }
  return waits;
}

}  // namespace kino
