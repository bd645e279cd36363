// Where the time of a rank's GPUs went: computing, communicating behind that or alone, copying, nothing.
#pragma once

#include <cstdint>

#include "core/job/rank_digest.hpp"
#include "core/job/rank_waits.hpp"

namespace kino {

/// Each is time of the clock, in which at least one kernel of the kind runs.
struct RankTimes {
  std::int64_t length_ns = 0;  ///< from the first work of a GPU to the end of the last
  std::int64_t compute_ns = 0;
  std::int64_t communication_ns = 0;
  std::int64_t exposed_ns = 0;          ///< of it, with nothing that computes beside it
  std::int64_t exposed_waiting_ns = 0;  ///< of that, while it waits for other ranks
  std::int64_t copy_ns = 0;             ///< with neither of both beside it
  std::int64_t idle_ns = 0;             ///< with none of them; all parts add up to the length
};

/// Returns whether the rank's collectives ran on CPU threads (Gloo, MPI). Then it is unknown what computed
/// beside them, and no part of RankTimes is of a GPU that waits.
bool communicates_on_cpu(const RankDigest& rank);

/// RANKS 5.3. `kernels` are those of JobWaits of this rank. O(kernels log kernels + busy stretches).
RankTimes rank_times(const RankDigest& rank, const KernelWaits& kernels);

}  // namespace kino
