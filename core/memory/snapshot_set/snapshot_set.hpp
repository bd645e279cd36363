// A set of snapshots: all ranks of a job or a series over time, with median and outliers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/snapshot_set/snapshot_sums.hpp"

namespace kino {

/// A GPU of one of the files.
struct SnapshotMember {
  std::string file;        ///< its name
  std::int64_t rank = -1;  ///< rank of its job from the file's name; -1: unknown
  bool alone = true;       ///< no other GPU of the file counts
  bool whole = true;       ///< the file was read to its end; else its peak may come later
  SnapshotSums sums;
  std::size_t source = 0;  ///< index of the file, assigned by the caller
};

/// Difference of one item from the median member.
struct SumDifference {
  std::string key;
  Message name;
  std::uint64_t bytes = 0;         ///< of the member at its peak
  std::uint64_t median_bytes = 0;  ///< of the median member at its peak
  std::int64_t difference() const {
    return static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(median_bytes);
  }
};

/// Members are identified by their index.
struct SnapshotSet {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::vector<SnapshotMember> members;  ///< sorted by rank if all have one, else by time, else by name
  std::vector<Message> names;           ///< "rank 3", or the file's name; unique
  bool by_rank = false;                 ///< each member has a rank of its own
  bool timed = false;                   ///< all members with events have times, and at least one has
  /// Recorded at the same time, on one clock: each begins before the first one ends.
  bool together = false;
  /// The member with the median peak among complete files; the lower one if their number is even.
  std::uint32_t median = kNone;
  /// The median is typical: there are three or more members, and half of those with stacks share a line of
  /// code. Otherwise they are of different programs, and no text compares them.
  bool typical = false;
  /// Out-of-memory first, then by distance from the median's peak; truncated files last.
  std::vector<std::uint32_t> order;
  /// By member: an allocation failed, or the peak differs from the median's by more than 5 % and more than 3
  /// robust standard deviations (1.4826 times the median distance). Requires three complete members and a
  /// typical median.
  std::vector<bool> outlier;
  std::vector<std::int64_t> doubled_ranks;  ///< ranks of several members
  std::uint64_t lowest_peak = 0;
  std::uint64_t highest_peak = 0;
  /// Three or more members, recorded one after the other, each with a higher peak than the one before.
  bool rises = false;

  /// Returns the member's peak minus the median's; 0 without members.
  std::int64_t difference(std::uint32_t member) const;
  std::uint64_t median_peak() const { return median == kNone ? 0 : members[median].sums.peak_bytes; }
};

/// O(members * log).
SnapshotSet snapshot_set(std::vector<SnapshotMember> members);

/// Returns the differences at the peaks of two members, largest first, without equal items. They add up to
/// the difference of the peaks. O(rows * log).
std::vector<SumDifference> differences(const SnapshotSums& member, const SnapshotSums& median, SumsBy by);

/// An item and its bytes at the peak of each member.
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
  std::vector<SetRow> rows;  ///< sorted by the range from lowest to highest, largest first
  std::size_t left_out = 0;  ///< number of rows beyond kMost
};
/// O(rows of all members * log + kMost * members).
SetRows set_rows(const SnapshotSet& set, SumsBy by);

/// Summarizes the set in one or two sentences. `broken` files could not be read.
Message set_verdict(const SnapshotSet& set, std::size_t broken, ByteUnits units);
/// Returns further notes: duplicate ranks, incomplete recordings, other GPUs.
std::vector<Message> set_notes(const SnapshotSet& set);

}  // namespace kino
