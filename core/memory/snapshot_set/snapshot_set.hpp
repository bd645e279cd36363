// Many snapshots as one: all ranks of a job or a series over time, their median, and what is unlike it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/snapshot_set/snapshot_sums.hpp"

namespace kino {

/// A GPU of one of the files.
struct SnapshotMember {
  std::string file;        ///< its name
  std::int64_t rank = -1;  ///< of its job, as its name tells; -1: it does not
  bool alone = true;       ///< no other GPU of the file counts
  bool whole = true;       ///< the file was read to its end; else its peak may lie behind that
  SnapshotSums sums;
  std::size_t source = 0;  ///< of whoever made the set: which of the files it is
};

/// Whose difference from the median is how large.
struct SumDifference {
  std::string key;
  Message name;
  std::uint64_t bytes = 0;         ///< of the member at its peak
  std::uint64_t median_bytes = 0;  ///< of the median member at its peak
  std::int64_t difference() const {
    return static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(median_bytes);
  }
};

/// Members are told by their index.
struct SnapshotSet {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::vector<SnapshotMember> members;  ///< by rank where all have one, else by time, else by name
  std::vector<Message> names;           ///< "rank 3", or the file's name, each unlike the others
  bool by_rank = false;                 ///< each member has a rank that no other has
  bool timed = false;                   ///< each that has events has times, and one has
  /// They were recorded at one time, so that one clock has all of them: each begins before the first ends.
  bool together = false;
  /// Of the middle peak among those read whole, of an even number the lower of the two.
  std::uint32_t median = kNone;
  /// Whether the median says what is usual: there are three or more members, and half of those with stacks
  /// have a line of code in common. Else they are of different programs, and nothing is compared in words.
  bool typical = false;
  /// Out of memory first, then by how far the peak is from the median's; what was not read whole last.
  std::vector<std::uint32_t> order;
  /// By member: an allocation failed, or the peak is further from the median's than 5 % of it and than
  /// 3 robust standard deviations (1.4826 times the median distance); needs three members, read whole, and
  /// a typical median.
  std::vector<bool> outlier;
  std::vector<std::int64_t> doubled_ranks;  ///< that more than one member has
  std::uint64_t lowest_peak = 0;
  std::uint64_t highest_peak = 0;
  /// Recorded one after the other, three or more, each with a higher peak than the one before.
  bool rises = false;

  /// Of the peak to the median's; 0 without members.
  std::int64_t difference(std::uint32_t member) const;
  std::uint64_t median_peak() const { return median == kNone ? 0 : members[median].sums.peak_bytes; }
};

/// O(members * log).
SnapshotSet snapshot_set(std::vector<SnapshotMember> members);

/// What differs at the peaks of two members, the largest difference first; what is equal is left out. The
/// differences add up to that of the peaks. O(rows * log).
std::vector<SumDifference> differences(const SnapshotSums& member, const SnapshotSums& median, SumsBy by);

/// A name and what each member has of it at its peak.
struct SetRow {
  std::string key;
  Message name;
  std::vector<std::uint64_t> bytes;  ///< by member
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  std::uint32_t highest_member = 0;
};
struct SetRows {
  static constexpr std::size_t kMost = 2000;
  std::vector<SetRow> rows;  ///< the largest range from lowest to highest first
  std::size_t left_out = 0;  ///< behind the first kMost
};
/// O(rows of all members * log + kMost * members).
SetRows set_rows(const SnapshotSet& set, SumsBy by);

/// The whole of it in a sentence or two. `broken` files could not be read.
Message set_verdict(const SnapshotSet& set, std::size_t broken, ByteUnits units);
/// What has to be said besides: ranks that are there twice, recordings that are incomplete, other GPUs.
std::vector<Message> set_notes(const SnapshotSet& set);

}  // namespace kino
