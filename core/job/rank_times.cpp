#include "core/job/rank_times.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/tables/gpu/cpu_collectives.hpp"
#include "core/trace/links/busy_time.hpp"

namespace kino {

bool communicates_on_cpu(const RankDigest& rank) {
  return !rank.kernels.empty() && is_cpu_collective(rank.texts[rank.kernels.operations().front().algorithm]);
}

RankTimes rank_times(const RankDigest& rank, const KernelWaits& kernels) {
  RankTimes times;
  std::vector<TimeRange> communication;
  std::vector<TimeRange> waiting;
  // The digest of a time range can contain kernels that end after the range.
  const auto add = [&](std::vector<TimeRange>& ranges, std::int64_t start_ns, std::int64_t duration_ns) {
    ranges.push_back({start_ns, std::max(start_ns, std::min(start_ns + duration_ns, rank.last_ns))});
  };
  for (std::size_t i = 0; i < rank.kernels.size(); ++i) {
    const std::int64_t start_ns = rank.kernels.start_ns(i);
    add(communication, start_ns, rank.kernels.duration_ns(i));
    if (i < kernels.size()) add(waiting, start_ns, kernels[i].waiting_ns);
  }
  const std::vector<TimeRange> compute = rank.compute.list();
  const std::vector<TimeRange> copies = rank.copies.list();
  communication = united(std::move(communication));
  times.compute_ns = length_of(compute);
  times.communication_ns = length_of(communication);
  times.exposed_ns = length_of(without_ranges(communication, compute));
  times.exposed_waiting_ns = length_of(without_ranges(united(std::move(waiting)), compute));
  std::vector<TimeRange> busy = std::move(communication);
  busy.insert(busy.end(), compute.begin(), compute.end());
  busy = united(std::move(busy));
  times.copy_ns = length_of(without_ranges(copies, busy));
  busy.insert(busy.end(), copies.begin(), copies.end());
  busy = united(std::move(busy));
  if (busy.empty()) return times;
  times.length_ns = busy.back().end_ns - busy.front().begin_ns;
  times.idle_ns = times.length_ns - length_of(busy);
  return times;
}

}  // namespace kino
