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
  std::string file;        ///< name of the file
  std::int64_t rank = -1;  ///< rank in its job, from the file's name; -1: unknown
  bool alone = true;       ///< whether it is the only counted GPU of the file; see CountedDevices
  bool whole = true;       ///< whether the file was read to its end; otherwise its peak may come later
  SnapshotSums sums;
  std::size_t source = 0;  ///< index of the file, assigned by the caller
};

/// Difference of one item from the median member.
struct SumDifference {
  std::string key;
  Message name;
  std::uint64_t bytes = 0;         ///< bytes of the member at its peak
  std::uint64_t median_bytes = 0;  ///< bytes of the median member at its peak
  std::int64_t difference() const {
    return static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(median_bytes);
  }
};

/// A set of snapshots. Members are identified by their index.
struct SnapshotSet {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::vector<SnapshotMember> members;  ///< sorted by rank if all have one, else by time, else by name
  std::vector<Message> names;           ///< "rank 3", or the file's name; unique
  bool by_rank = false;                 ///< whether each member has its own rank
  bool timed = false;                   ///< all members with events have times, and there is such a member
  /// Whether all were recorded at the same time on one clock: each starts before the first one ends.
  bool together = false;
  /// Member with the median peak among complete files, or among all files if none is complete. If their
  /// number is even, the lower of the middle two.
  std::uint32_t median = kNone;
  /// Whether the median is typical: it is the median of three or more members, and half of the members with
  /// stacks share a line of code. The line is not required if fewer than two members have stacks. If the
  /// median is not typical, the members may belong to different programs, and no text compares them.
  bool typical = false;
  /// Members in display order: out-of-memory first, then complete files before truncated ones, then by
  /// distance from the median's peak, largest first.
  std::vector<std::uint32_t> order;
  /// Whether a member is an outlier: an allocation failed, or its peak is far from the median's. A peak is
  /// far if it differs by more than 5 %, and by more than 3 robust standard deviations (1.4826 times the
  /// median distance). Only peaks of complete members can be far, and only if there are three such members
  /// and a typical median.
  std::vector<bool> outlier;
  std::vector<std::int64_t> doubled_ranks;  ///< ranks that several files have
  std::uint64_t lowest_peak = 0;
  std::uint64_t highest_peak = 0;
  /// Whether three or more members, all of them complete, were recorded one after the other, each with a
  /// higher peak than the member before. False unless `typical`.
  bool rises = false;

  /// Returns the member's peak minus the median's; 0 if there are no members.
  std::int64_t difference(std::uint32_t member) const;
  std::uint64_t median_peak() const { return median == kNone ? 0 : members[median].sums.peak_bytes; }
};

/// Forms a set. O(members * log).
SnapshotSet snapshot_set(std::vector<SnapshotMember> members);

/// Returns the differences at the peaks of two members, largest first, without equal items. Their sum is the
/// difference of the peaks. O(rows * log).
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
/// Returns the items of all members. O(rows of all members * log + kMost * members).
SetRows set_rows(const SnapshotSet& set, SumsBy by);

/// Returns sentences that summarize the set. `broken`: number of files that could not be read.
Message set_verdict(const SnapshotSet& set, std::size_t broken, ByteUnits units);
/// Returns notes on duplicate ranks, a missing common clock, snapshots without a history, and recordings that
/// lack some data.
std::vector<Message> set_notes(const SnapshotSet& set);

}  // namespace kino
