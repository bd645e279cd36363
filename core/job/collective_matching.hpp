// Which kernels of several ranks are one collective, and how surely.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

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

struct CollectiveInstance {
  std::uint32_t group = 0;
  MatchLevel level = MatchLevel::exact;
  bool complete = true;             ///< all members are there
  std::vector<RankKernel> kernels;  ///< at least two, by rank
};

struct MatchedJob {
  std::vector<MatchedGroup> groups;
  std::vector<CollectiveInstance> instances;  ///< by group, then time
  std::vector<RankKernel> alone;              ///< never guessed to be of one
};

/// `offset_ns` are what a first fit of the clocks says of each rank (ClockOffsets), empty: nothing is known
/// of them yet. Rules and what they were measured on: README. Indices of the result are those of `ranks`. Of
/// no use when stopped.
MatchedJob match_collectives(std::span<const RankDigest* const> ranks, std::span<const double> offset_ns = {},
                             const std::stop_token& stop = {});

}  // namespace kino
