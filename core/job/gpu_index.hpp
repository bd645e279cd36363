// Whether a rank's GPU is slower than the others', by kernels that ran alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/packed/packed_table.hpp"
#include "core/trace/steps.hpp"
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

/// Durations of the kernels of one rank.
struct KernelTimes {
  // Columns of `alone`.
  static constexpr std::size_t kCall = 0;
  static constexpr std::size_t kDuration = 1;
  static constexpr std::size_t kColumns = 2;

  std::vector<KernelClass> classes;  ///< at most 4,096, those with the most time; by key
  /// Kernels that overlap no communication of the rank: call and duration in ns; by call, which does not
  /// repeat. The call is a hash of name, grid, block, input shapes, step and the number of the execution
  /// among those in its step, so that it is equal on all ranks. With more than 4,096 of them, those with the
  /// lowest hashes: an even sample, in which the ranks' samples have the same calls.
  PackedTable alone;
};

/// A trace without steps counts as one step; else kernels that no step launched are in no call. Empty when
/// stopped. O(GPU work log work).
KernelTimes kernel_times_of(const Trace& trace, const GpuWork& work, const Steps& steps,
                            std::span<const CommunicationKernel> kernels, const std::stop_token& stop);

/// The time of a rank's kernels over the time of the same calls on other ranks. Only calls that overlap no
/// communication on either side are compared.
struct GpuComparison {
  /// 1.1: they take 10 % longer. With several other ranks the median of the ratios to each of them. Nothing
  /// without another rank that has 30 such calls and 1 ms.
  std::optional<double> ratio;
  double low = 0;  ///< 95 % interval by resampling calls; with several other ranks the medians of its ends
  double high = 0;
  std::uint32_t calls = 0;                  ///< compared with the rank that has the median number of them
  std::int64_t time_ns = 0;                 ///< own time of these calls
  std::uint32_t others = 0;                 ///< ranks in the ratio
  std::optional<std::uint32_t> only_other;  ///< the index of the other rank where it is one

  bool slower() const { return ratio.has_value() && low > 1.02; }
  bool faster() const { return ratio.has_value() && high < 0.98; }
};

/// Slower and faster are claimed where the whole interval is beyond 2 %.
enum class GpuClaim : std::uint8_t { slower, faster, none, too_few_calls, too_short_calls };
GpuClaim claim_of(const GpuComparison& gpu);
constexpr bool shows_difference(GpuClaim claim) {
  return claim == GpuClaim::slower || claim == GpuClaim::faster;
}
/// "slower", "no difference shown", "too few calls", "calls too short".
msg::Id text_of(GpuClaim claim);

/// RANKS 4, GPU index; by index of the digests. The same input gives the same intervals. Of no use when
/// stopped. A rank is compared with 8 others at most. O(ranks * (calls + 10,000 * 128)).
std::vector<GpuComparison> gpu_index(std::span<const RankDigest* const> ranks,
                                     const std::stop_token& stop = {});

/// How much longer kernels take beside communication than alone, on the same GPU: 1.3 is 30 %. Nothing
/// without classes that have three calls of both.
std::optional<double> overlap_cost(std::span<const RankDigest* const> ranks);

}  // namespace kino
