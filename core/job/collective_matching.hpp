// Matches the kernels of several ranks that belong to one collective, with a level of certainty.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/job/job_kernels.hpp"
#include "core/job/rank_digest.hpp"

namespace kino {

enum class MatchLevel : std::uint8_t {
  exact,     ///< A: all members have the same sequence number in the group
  proved,    ///< B: matched by order in the group; no other shift fits the times or the sequence numbers
  order,     ///< C: matched by order alone
  rejected,  ///< X: not one operation, or one member ended long before another began
};
/// Returns "A", "B", "C" or "X".
std::string_view letter_of(MatchLevel level);

/// Kernel of a rank: index of the digest, and index into its kernels.
struct RankKernel {
  std::uint32_t rank = 0;
  std::uint32_t kernel = 0;
  bool operator==(const RankKernel&) const = default;
};

enum class MatchedGroupKind : std::uint8_t {
  known,       ///< identified by name and members
  messages,    ///< from one rank to another
  unlabelled,  ///< the recordings do not name groups
  custom,      ///< kernels without a group, of libraries other than NCCL, RCCL, HCCL and oneCCL
};

struct MatchedGroup {
  MatchedGroupKind kind = MatchedGroupKind::known;
  std::string name;
  std::string description;
  std::int64_t source = -1;  ///< source rank of a group of messages; -1 for other groups
  std::int64_t target = -1;
  std::size_t members = 0;             ///< number of ranks; only the recorded ones if the members are unknown
  std::vector<std::uint32_t> present;  ///< indices of digests with kernels of the group
  std::size_t kernels = 0;
};

/// View of a part of MatchedJob::members.
using RankKernels = std::span<const RankKernel>;

struct CollectiveInstance {
  std::uint32_t group = 0;
  MatchLevel level = MatchLevel::exact;
  bool complete = true;  ///< whether each member of the group has a kernel in it
  RankKernels kernels;   ///< at least two, sorted by rank
};

/// Matched collectives of a job. Each instance has a view of a part of `members`.
struct MatchedJob {
  std::vector<MatchedGroup> groups;
  std::vector<CollectiveInstance> instances;     ///< sorted by group, then by order in the group
  std::vector<RankKernel> alone;                 ///< kernels without a counterpart
  std::vector<std::vector<RankKernel>> members;  ///< kernels of all instances, by group

  MatchedJob() = default;
  MatchedJob(MatchedJob&&) = default;
  MatchedJob& operator=(MatchedJob&&) = default;
  MatchedJob(const MatchedJob& other);
  MatchedJob& operator=(const MatchedJob& other) { return *this = MatchedJob(other); }
  ~MatchedJob() = default;
};

/// Matches the kernels of several ranks, and improves the match after a clock fit. Rules and measurements:
/// README. Ranks in results are indices into `ranks`. Ranks and kernels must outlive the matcher. O(kernels)
/// if the kernels have sequence numbers; otherwise, see best_shift().
class CollectiveMatcher {
 public:
  CollectiveMatcher(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                    std::stop_token stop);
  CollectiveMatcher(const CollectiveMatcher&) = delete;
  CollectiveMatcher& operator=(const CollectiveMatcher&) = delete;
  ~CollectiveMatcher();

  /// Matches before clocks are fitted.
  MatchedJob match();
  /// Improves `job`, the result of match(), with the clock offsets of a first fit, by rank. Matches all
  /// channels again if streams were joined, or if a channel is not certain or disagrees with the fit.
  /// Otherwise, only rejects collectives whose members are apart in time. Returns whether the match may have
  /// changed.
  bool refine(std::span<const double> offset_ns, MatchedJob& job);

 private:
  class Matcher;
  std::unique_ptr<Matcher> matcher_;
};

}  // namespace kino
