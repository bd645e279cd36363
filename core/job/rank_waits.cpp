#include "core/job/rank_waits.hpp"

#include <algorithm>
#include <limits>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

struct Arrival {
  std::uint32_t rank = 0;
  std::uint32_t kernel = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
};

/// Of the collective with that number. Fills what its kernels waited, and adds to the sums of their ranks.
CollectiveWait wait_of(const std::vector<Arrival>& arrivals, std::uint32_t number, JobWaits& job,
                       std::vector<RankWaits>& ranks) {
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
    job.kernels[it.rank][it.kernel] = {number, waited};
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

void add(const std::vector<RankWaits>& more, std::vector<RankWaits>& sums) {
  for (std::size_t r = 0; r < sums.size(); ++r) {
    sums[r].waiting_ns += more[r].waiting_ns;
    sums[r].moving_ns += more[r].moving_ns;
    sums[r].caused_ns += more[r].caused_ns;
    sums[r].saved_ns += more[r].saved_ns;
    sums[r].collectives += more[r].collectives;
    sums[r].times_last += more[r].times_last;
  }
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

JobWaits job_waits(const JobKernels& kernels, const MatchedJob& job, const JobClocks& clocks,
                   const std::stop_token& stop) {
  const unsigned threads = thread_count_or_default(0);
  JobWaits waits;
  waits.ranks.resize(kernels.ranks.size());
  waits.kernels.resize(kernels.ranks.size());
  parallel_for(threads, kernels.ranks.size(), stop,
               [&](std::size_t r, unsigned) { waits.kernels[r].resize(kernels.ranks[r].size()); });
  waits.tolerance_ns = clocks.tolerance_ns();
  for (std::uint32_t i = 0; i < job.instances.size(); ++i) {
    const CollectiveInstance& instance = job.instances[i];
    if (instance.level == MatchLevel::rejected || clocks.synchronising[instance.group] == 0) continue;
    waits.collectives.emplace_back().instance = i;
  }
  if (stop.stop_requested()) return waits;
  constexpr std::size_t kPart = 4096;
  const std::size_t count = waits.collectives.size();
  std::vector<std::vector<RankWaits>> sums(threads, waits.ranks);
  std::vector<std::vector<Arrival>> arrivals(threads);
  parallel_for(threads, (count + kPart - 1) / kPart, stop, [&](std::size_t part, unsigned worker) {
    for (std::size_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) {
      CollectiveWait& wait = waits.collectives[i];
      arrivals[worker].clear();
      for (const RankKernel& it : job.instances[wait.instance].kernels) {
        const KernelColumns& columns = kernels.ranks[it.rank];
        const std::int64_t start_ns = columns.start_ns[it.kernel];
        arrivals[worker].push_back(
            {it.rank, it.kernel, clocks.common_ns(it.rank, start_ns), columns.end_ns[it.kernel] - start_ns});
      }
      const std::uint32_t instance = wait.instance;
      wait = wait_of(arrivals[worker], static_cast<std::uint32_t>(i), waits, sums[worker]);
      wait.instance = instance;
    }
  });
  for (const std::vector<RankWaits>& it : sums) add(it, waits.ranks);
  return waits;
}

}  // namespace kino
