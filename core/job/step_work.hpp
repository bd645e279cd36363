// What ranks did in a step, beside the ranks that do the same: whose kernels communicate in the same order.
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

/// How much longer a rank worked in a step than the one of its role that is median.
struct WorkExcess {
  std::uint32_t rank = 0;  ///< index of the digest
  std::int64_t own_ns = 0;
  StretchTimes times{};      ///< by part; their sum is own_ns
  std::uint32_t kernel = 0;  ///< before which most of it was
};

/// Ranks have one role in a step when their kernels in it have the same signatures, each as often, and
/// messages go the same way along the ranks, as those of replicas do. In which order kernels that run beside
/// each other begin says nothing. Roles are not looked for in jobs without messages that have more than four
/// million kernels. What it is given lives longer than it does.
class StepWork {
 public:
  /// O(kernels).
  StepWork(std::span<const RankDigest* const> ranks, const JobKernels& kernels, const std::stop_token& stop);

  /// Kernels of a rank's step in order of start. O(log steps).
  std::span<const std::uint32_t> kernels_of(std::uint32_t rank, std::int64_t step) const;
  /// The same by signature, then start: those of one role correspond by their places. Empty without roles.
  std::span<const std::uint32_t> role_kernels_of(std::uint32_t rank, std::int64_t step) const;
  /// The ranks of its role in the step, itself too; empty without roles. O(log steps).
  std::span<const std::uint32_t> role_of(std::uint32_t rank, std::int64_t step) const;
  /// Of the rank with the most; nothing where nobody took longer or has a role with others. O(log steps).
  const WorkExcess* most(std::int64_t step) const;
  /// How much longer the rank computed in the step than the one of its role that is median, in ns, below 0
  /// where it took less; nothing where no other rank has its role. O(log steps).
  std::optional<std::int64_t> compute_excess(std::uint32_t rank, std::int64_t step) const;
  /// Whether ranks send each other messages.
  bool has_messages() const { return has_messages_; }

 private:
  struct Part {
    std::int64_t step = -1;
    std::uint32_t begin = 0;  // in `order`
    std::uint32_t end = 0;
    std::uint64_t hash = 0;  // of the signatures in any order
    std::optional<std::int64_t> compute_excess_ns;
  };
  struct Rank {
    std::vector<std::uint32_t> order;         // kernels by step, then number
    std::vector<std::uint32_t> by_signature;  // by step, signature, number
    std::vector<Part> parts;                  // by step
  };
  using Role = std::pair<std::int64_t, std::uint64_t>;  // step and hash

  const Part* part_of(std::uint32_t rank, std::int64_t step) const;
  void set_order(std::uint32_t rank);
  void set_role(std::uint32_t rank);
  std::int64_t computed(std::uint32_t rank, const Part& part) const;
  StretchTimes work_of(std::uint32_t rank, const Part& part) const;
  void add_excess(const std::vector<std::uint32_t>& ranks, std::int64_t step,
                  std::optional<WorkExcess>& most);

  std::span<const RankDigest* const> ranks_;
  const JobKernels& kernels_;
  std::vector<std::uint64_t> hashes_;  // of the signatures
  std::vector<Rank> of_rank_;
  std::map<Role, std::vector<std::uint32_t>> roles_;
  std::map<std::int64_t, std::optional<WorkExcess>> most_;  // by step; of jobs with messages
  bool has_messages_ = false;
  bool has_roles_ = false;
};

}  // namespace kino
