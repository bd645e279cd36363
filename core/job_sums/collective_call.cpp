#include "core/job_sums/collective_call.hpp"

#include <algorithm>

#include "core/gpu/collective_table.hpp"

namespace kino {

CollectiveCall call_of(const JobAnalysis& job, const CollectiveWait& wait) {
  const CollectiveInstance& instance = job.matched.instances[wait.instance];
  CollectiveCall call;
  CollectiveFacts facts;
  bool first = true;
  for (const RankKernel& it : instance.kernels) {
    const RankDigest& rank = *job.ranks[it.rank];
    const CommunicationKernel kernel = rank.kernels[it.kernel];
    const std::int64_t start = job.clocks.common_ns(it.rank, kernel.start_ns);
    call.start_ns = first ? start : std::min(call.start_ns, start);
    call.end_ns = first ? start + kernel.duration_ns : std::max(call.end_ns, start + kernel.duration_ns);
    if (first) call.operation = rank.texts[kernel.family];
    first = false;
    if (facts.in_elements >= 0 || kernel.in_elements < 0) continue;
    facts.kind = kernel.kind;
    facts.in_elements = kernel.in_elements;
    facts.out_elements = kernel.out_elements;
    facts.dtype = rank.texts[kernel.dtype];
  }
  call.bytes = facts.bytes();
  if (call.bytes < 0 || !instance.complete || wait.transfer_ns <= 0 ||
      wait.transfer_ns < job.waits.tolerance_ns)
    return call;
  call.algorithm_gb_per_s = static_cast<double>(call.bytes) / static_cast<double>(wait.transfer_ns);
  const auto members = static_cast<std::int64_t>(job.matched.groups[instance.group].members);
  const double factor = bus_factor(facts.kind, members);
  if (factor > 0) call.bus_gb_per_s = call.algorithm_gb_per_s * factor;
  return call;
}

}  // namespace kino
