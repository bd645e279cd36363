// Compares the speed of a rank's GPU with that of other ranks, by kernels that overlap no communication.
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

/// Calls of one kernel with one grid and block. Calls that overlap communication are counted separately,
/// because a kernel runs slower while a communication kernel spins.
struct KernelClass {
  std::uint64_t key = 0;  ///< hash of name, grid and block; equal on all ranks
  std::uint32_t isolated_calls = 0;
  std::uint32_t overlapped_calls = 0;
  std::int64_t isolated_ns = 0;
  std::int64_t overlapped_ns = 0;
  double isolated_median_ns = 0;
  double overlapped_median_ns = 0;
};

/// Durations of the compute kernels of one rank.
struct KernelTimes {
  // Columns of `alone`.
  static constexpr std::size_t kCall = 0;
  static constexpr std::size_t kDuration = 1;
  static constexpr std::size_t kColumns = 2;

  std::vector<KernelClass> classes;  ///< the 4,096 with the most time, sorted by key
  /// Kernels that overlap no communication of the rank: call and duration in ns, sorted by call, one row per
  /// call. A call is a hash of name, grid, block, input shapes, step and index of the execution in the step.
  /// It is therefore equal on all ranks. At most 4,096 rows, those with the lowest hashes: an even sample,
  /// which selects the same calls on all ranks.
  PackedTable alone;
};

/// Returns the durations of the compute kernels. A trace without steps counts as one step. In other traces,
/// kernels whose launch is unknown or outside of steps are not in `alone`. O(GPU work log work).
KernelTimes kernel_times_of(const Trace& trace, const GpuWork& work, const Steps& steps,
                            std::span<const CommunicationKernel> kernels, const std::stop_token& stop);

/// Time of a rank's kernels divided by the time of the same calls on other ranks. Compares only calls that
/// overlap no communication on either rank.
struct GpuComparison {
  /// 1.1 means 10 % longer. If there are several other ranks, the median of the ratios to each of them.
  /// nullopt unless another rank shares at least 30 calls with this rank, with at least 1 ms on both ranks.
  std::optional<double> ratio;
  double low = 0;  ///< lower end of the 95 % interval; for several ranks, the median of the ends
  double high = 0;
  std::uint32_t calls = 0;                  ///< number of shared calls; the median for several other ranks
  std::int64_t time_ns = 0;                 ///< time of these calls on this rank
  std::uint32_t others = 0;                 ///< number of compared ranks that share enough calls
  std::optional<std::uint32_t> only_other;  ///< index of the other rank if `others` is 1

  bool slower() const { return ratio.has_value() && low > 1.02; }
  bool faster() const { return ratio.has_value() && high < 0.98; }
};

/// Conclusion from a GpuComparison. `slower` and `faster` require that the whole interval is beyond 2 %.
enum class GpuClaim : std::uint8_t { slower, faster, none, too_few_calls, too_short_calls };
GpuClaim claim_of(const GpuComparison& gpu);
constexpr bool shows_difference(GpuClaim claim) {
  return claim == GpuClaim::slower || claim == GpuClaim::faster;
}
/// Returns "slower", "faster", "no difference shown", "too few calls" or "calls too short".
msg::Id text_of(GpuClaim claim);

/// Returns one comparison per digest, each with at most 8 other ranks (README, GPU index). Deterministic.
/// O(ranks * (calls + 10,000 * 128)).
std::vector<GpuComparison> gpu_index(std::span<const RankDigest* const> ranks,
                                     const std::stop_token& stop = {});

/// Returns how much longer kernels take if they overlap communication on the same GPU, as a mean weighted by
/// time: 1.3 means 30 % longer. nullopt unless a class has three calls with and three calls without overlap.
std::optional<double> overlap_cost(std::span<const RankDigest* const> ranks);

}  // namespace kino
