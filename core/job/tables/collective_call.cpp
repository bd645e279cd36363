#include "core/job/tables/collective_call.hpp"

#include <algorithm>

#include "core/job/link_speeds.hpp"

namespace kino {

CollectiveCall call_of(const JobAnalysis& job, const CollectiveWait& wait) {
  const CollectiveInstance& instance = job.matched.instances[wait.instance];
  CollectiveCall call;
  bool first = true;
  for (const RankKernel& member : instance.kernels) {
    const CommunicationKernels& kernels = job.ranks[member.rank]->kernels;
    const std::int64_t start = job.clocks.common_ns(member.rank, kernels.start_ns(member.kernel));
    const std::int64_t end = start + kernels.duration_ns(member.kernel);
    call.start_ns = first ? start : std::min(call.start_ns, start);
    call.end_ns = first ? end : std::max(call.end_ns, end);
    if (first) call.operation = job.ranks[member.rank]->texts[kernels.operation(member.kernel).family];
    first = false;
  }
  const TransferSpeed speed = transfer_speed(job.ranks, job.matched, wait, job.waits.tolerance_ns);
  call.bytes = speed.bytes;
  call.algorithm_gb_per_s = speed.algorithm_gb_per_s;
  call.bus_gb_per_s = speed.bus_gb_per_s;
  return call;
}

RowLink link_to_latest(const JobAnalysis& job, const CollectiveWait& wait) {
  const RankKernels kernels = job.matched.instances[wait.instance].kernels;
  const auto latest = std::ranges::find(kernels, wait.latest, &RankKernel::rank);
  return {job.ranks[latest->rank]->kernels.slice(latest->kernel), latest->rank};
}

}  // namespace kino
