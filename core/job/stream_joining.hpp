// Finds the streams of one communicator by the ends of their kernels, if no recording labels the streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/job/job_kernels.hpp"
#include "core/job/rank_digest.hpp"
#include "core/job/shift_search.hpp"

namespace kino {

/// Kernels of one rank that execute in order.
struct RankStream {
  using Kernels = std::vector<std::uint32_t>;  ///< indices in the digest, sorted by time

  std::uint32_t rank = 0;
  const Kernels* kernels = nullptr;
};

/// Inputs of best_shift() for several streams. Equal signatures have equal numbers in all streams.
struct StreamLists {
  std::vector<CommunicationList> lists;
  SignatureConflicts conflict;
};
StreamLists lists_of(std::span<const RankStream> streams, const JobKernels& kernels);

/// Returns the difference of two ranks' clocks by a fit; nullopt if there is no fit yet (`offset_ns` is
/// empty).
std::optional<double> expected_shift(std::span<const double> offset_ns, std::uint32_t rank,
                                     std::uint32_t reference);

/// Returns a group number per stream. Merges pairs of streams that deviate by less than 30 us, the closest
/// first. Does not merge a pair if the group would then contain two streams of one rank, or if the groups of
/// the two streams differ clearly. O(streams^2) calls of best_shift().
std::vector<std::size_t> joined_streams(std::span<const RankStream> streams,
                                        std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                                        std::span<const double> offset_ns);

}  // namespace kino
