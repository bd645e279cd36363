// Whether a rank's GPU is slower than the others', by kernels that ran alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/relations/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct CommunicationKernel;  // communication_kernels.hpp
struct RankDigest;

/// Calls of one kernel with one grid and block, those alone and those beside communication apart: a kernel
/// runs slower beside one that spins.
struct KernelClass {
  std::uint64_t key = 0;  ///< of name, grid and block; equal on all ranks
  std::uint32_t alone_calls = 0;
  std::uint32_t beside_calls = 0;
  std::int64_t alone_ns = 0;
  std::int64_t beside_ns = 0;
  double alone_median_ns = 0;
  double beside_median_ns = 0;
};

/// Those that compute, at most 4,096 with the most time, by key. Empty when stopped. O(GPU work log work).
std::vector<KernelClass> kernel_classes_of(const Trace& trace, const GpuWork& work,
                                           std::span<const CommunicationKernel> kernels,
                                           const std::stop_token& stop);

/// RANKS 4, GPU index: of classes with at least three calls alone on more than half of the ranks, the rank's
/// median over the median of the ranks', weighted by the rank's time. 1.1: its kernels take 10 % longer.
struct GpuIndex {
  std::vector<std::optional<double>> ranks;  ///< by index of the digests; nothing: it has no such class
  std::uint32_t classes = 0;
};
GpuIndex gpu_index(std::span<const RankDigest* const> ranks);

/// How much longer kernels take beside communication than alone, on the same GPU: 1.3 is 30 %. Nothing
/// without classes that have three calls of both.
std::optional<double> overlap_cost(std::span<const RankDigest* const> ranks);

}  // namespace kino
