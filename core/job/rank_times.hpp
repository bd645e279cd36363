// GPU time of a rank by kind: compute, overlapped and exposed communication, copies, idle.
#pragma once

#include <cstdint>

#include "core/job/rank_digest.hpp"
#include "core/job/rank_waits.hpp"

namespace kino {

/// Wall time by kind of GPU work; overlapping kernels of one kind count once.
struct RankTimes {
  std::int64_t length_ns = 0;  ///< from the first GPU work to the end of the last
  std::int64_t compute_ns = 0;
  std::int64_t communication_ns = 0;
  std::int64_t exposed_ns = 0;          ///< communication that overlaps no compute
  std::int64_t exposed_waiting_ns = 0;  ///< part of exposed_ns in which the rank waits for other ranks
  std::int64_t copy_ns = 0;             ///< copies that overlap no compute or communication
  std::int64_t idle_ns = 0;             ///< time without GPU work; compute + exposed + copy + idle = length
};

/// Returns whether the rank's collectives ran on CPU threads (Gloo, MPI). If so, it is unknown which compute
/// overlapped the collectives, and the waiting in RankTimes is not waiting of a GPU.
bool communicates_on_cpu(const RankDigest& rank);

/// Returns the times of one rank. `kernels` are the waits of this rank. O(kernels log kernels + busy
/// intervals).
RankTimes rank_times(const RankDigest& rank, const KernelWaits& kernels);

}  // namespace kino
