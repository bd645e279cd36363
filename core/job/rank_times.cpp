#include "core/job/rank_times.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/relations/busy_time.hpp"

namespace kino {

RankTimes rank_times(const RankDigest& rank, std::span<const KernelWait> kernels) {
  RankTimes times;
  std::vector<TimeRange> communication;
  std::vector<TimeRange> waiting;
  for (std::size_t i = 0; i < rank.kernels.size(); ++i) {
    const CommunicationKernel& kernel = rank.kernels[i];
    communication.push_back({kernel.start_ns, kernel.end_ns()});
    if (i < kernels.size()) waiting.push_back({kernel.start_ns, kernel.start_ns + kernels[i].waiting_ns});
  }
  communication = united(std::move(communication));
  times.compute_ns = length_of(rank.compute);
  times.communication_ns = length_of(communication);
  times.exposed_ns = length_of(left_of(communication, rank.compute));
  times.exposed_waiting_ns = length_of(left_of(united(std::move(waiting)), rank.compute));
  std::vector<TimeRange> busy = std::move(communication);
  busy.insert(busy.end(), rank.compute.begin(), rank.compute.end());
  busy = united(std::move(busy));
  times.copy_ns = length_of(left_of(rank.copies, busy));
  busy.insert(busy.end(), rank.copies.begin(), rank.copies.end());
  busy = united(std::move(busy));
  if (busy.empty()) return times;
  times.length_ns = busy.back().end_ns - busy.front().begin_ns;
  times.idle_ns = times.length_ns - length_of(busy);
  return times;
}

}  // namespace kino
