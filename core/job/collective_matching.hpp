// Which kernels of several ranks are one collective, and how surely.
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
  exact,     ///< A: all have the same number in the group, or id
  proved,    ///< B: the order in the group, and no other one fits the times
  order,     ///< C: the order alone
  rejected,  ///< X: not one operation after all, or one was over long before another began
};
/// "A", "B", "C", "X".
std::string_view letter_of(MatchLevel level);

/// A kernel of a rank: indices of the digest and into its kernels.
struct RankKernel {
  std::uint32_t rank = 0;
  std::uint32_t kernel = 0;
  bool operator==(const RankKernel&) const = default;
};

enum class MatchedGroupKind : std::uint8_t {
  known,       ///< by name and members
  messages,    ///< from one rank to another
  unlabelled,  ///< the recordings tell no groups
  custom,      ///< kernels of other libraries
};

struct MatchedGroup {
  MatchedGroupKind kind = MatchedGroupKind::known;
  std::string name;
  std::string description;
  std::int64_t source = -1;  ///< of messages
  std::int64_t target = -1;
  std::size_t members = 0;             ///< as many as it has, also those without a recording
  std::vector<std::uint32_t> present;  ///< indices of digests with kernels of it
  std::size_t kernels = 0;
};

/// Kernels of MatchedJob::members.
using RankKernels = std::span<const RankKernel>;

struct CollectiveInstance {
  std::uint32_t group = 0;
  MatchLevel level = MatchLevel::exact;
  bool complete = true;  ///< all members are there
  RankKernels kernels;   ///< at least two, by rank
};

/// Its instances look into its members.
struct MatchedJob {
  std::vector<MatchedGroup> groups;
  std::vector<CollectiveInstance> instances;     ///< by group, then time
  std::vector<RankKernel> alone;                 ///< never guessed to be of one
  std::vector<std::vector<RankKernel>> members;  ///< by group: those of its instances, one after the other

  MatchedJob() = default;
  MatchedJob(MatchedJob&&) = default;
  MatchedJob& operator=(MatchedJob&&) = default;
  MatchedJob(const MatchedJob& other);
  MatchedJob& operator=(const MatchedJob& other) { return *this = MatchedJob(other); }
  ~MatchedJob() = default;
};

/// Matches the kernels of ranks, and once more when their clocks were fitted. Rules and what they were
/// measured on: README. Indices of results are those of `ranks`. Ranks and kernels live longer than it does.
/// O(kernels) where they are numbered, else see best_shift().
class CollectiveMatcher {
 public:
  CollectiveMatcher(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                    std::stop_token stop);
  CollectiveMatcher(const CollectiveMatcher&) = delete;
  CollectiveMatcher& operator=(const CollectiveMatcher&) = delete;
  ~CollectiveMatcher();

  /// Without knowing anything of the clocks. Of no use when stopped.
  MatchedJob match();
  /// `job` is what match() gave, `offset_ns` what a first fit says of each rank. Lists that were sure and fit
  /// to it stay where they are. Whether anything is another one now.
  bool refine(std::span<const double> offset_ns, MatchedJob& job);

 private:
  class Matcher;
  std::unique_ptr<Matcher> matcher_;
};

}  // namespace kino
