// Compares the work of a rank in a step with that of ranks of the same role, whose kernels communicate alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/job/job_kernels.hpp"
#include "core/job/rank_digest.hpp"

namespace kino {

/// Excess of a rank's work in a step over that of the median rank of its role.
struct WorkExcess {
  std::uint32_t rank = 0;  ///< index of the digest
  std::int64_t own_ns = 0;
  IntervalTimes times{};     ///< excess by part; the sum is own_ns
  std::uint32_t kernel = 0;  ///< kernel after the interval with the largest part of the excess
};

/// Work and roles of ranks by step. Ranks share a role in a step, as replicas do, if their kernels have the
/// same signatures, each equally often. Messages must also have the same direction along the ranks. The order
/// of kernels does not matter. Roles are not computed for jobs without messages that have more
/// than four million kernels. The constructor's arguments must outlive the object.
class StepWork {
 public:
  /// O(kernels).
  StepWork(std::span<const RankDigest* const> ranks, const JobKernels& kernels, const std::stop_token& stop);

  /// Returns the kernels of a rank's step, sorted by start. O(log steps).
  std::span<const std::uint32_t> kernels_of(std::uint32_t rank, std::int64_t step) const;
  /// Returns the kernels of a rank's step, sorted by hash of the signature, then start, so that equal indices
  /// correspond on ranks of one role. Empty if roles were not computed.
  std::span<const std::uint32_t> role_kernels_of(std::uint32_t rank, std::int64_t step) const;
  /// Returns the ranks that have the rank's role in the step, including itself. Empty if roles were not
  /// computed. O(log steps).
  std::span<const std::uint32_t> role_of(std::uint32_t rank, std::int64_t step) const;
  /// Returns the largest excess of any rank; null if no rank took longer, or if no ranks share a role. O(log
  /// steps).
  const WorkExcess* most(std::int64_t step) const;
  /// Returns the rank's compute time in the step minus that of the median rank of its role, in ns. nullopt
  /// outside of steps, or if no other rank has its role. O(log steps).
  std::optional<std::int64_t> compute_excess(std::uint32_t rank, std::int64_t step) const;
  /// Returns whether ranks exchange messages.
  bool has_messages() const { return has_messages_; }

 private:
  struct Part {
    std::int64_t step = -1;
    std::uint32_t begin = 0;  // index into Rank::order
    std::uint32_t end = 0;
    std::uint64_t hash = 0;  // hash of the signatures, independent of their order
    std::optional<std::int64_t> compute_excess_ns;
  };
  struct Rank {
    std::vector<std::uint32_t> order;         // kernels by step, then index
    std::vector<std::uint32_t> by_signature;  // kernels by step, hash of the signature, index
    std::vector<Part> parts;                  // sorted by step
  };
  using Role = std::pair<std::int64_t, std::uint64_t>;  // step and hash

  const Part* part_of(std::uint32_t rank, std::int64_t step) const;
  void set_order(std::uint32_t rank);
  void set_role(std::uint32_t rank);
  std::int64_t computed(std::uint32_t rank, const Part& part) const;
  IntervalTimes work_of(std::uint32_t rank, const Part& part) const;
  void add_excess(const std::vector<std::uint32_t>& ranks, std::int64_t step,
                  std::optional<WorkExcess>& most);

  std::span<const RankDigest* const> ranks_;
  const JobKernels& kernels_;
  std::vector<std::uint64_t> hashes_;  // by signature
  std::vector<Rank> of_rank_;
  std::map<Role, std::vector<std::uint32_t>> roles_;
  std::map<std::int64_t, std::optional<WorkExcess>> most_;  // by step
  bool has_messages_ = false;
  bool has_roles_ = false;
};

}  // namespace kino
