// Fits the peak as a linear function of the batch size, or of another size in which snapshots of one program
// differ.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/memory/snapshot_set/snapshot_set.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

/// Returns the numbers that follow a word for a size in the names ("bs8", "batch_16", "seq-len=1024"). Empty
/// unless every name has a number after the same word, and all numbers differ. O(letters).
std::vector<std::uint64_t> sizes_in_names(std::span<const std::string> names);
/// Parses a list such as "8,16,32". Fails unless all items are numbers from 1 to 10^12.
Result<std::vector<std::uint64_t>> sizes_from_text(std::string_view text);

/// A member whose size is known.
struct SizePoint {
  std::uint32_t member = 0;
  std::uint64_t size = 0;
};

/// Bytes as a linear function of the size, through the points with the two largest sizes.
struct SizeLine {
  std::string key;                   ///< SumRow::key of a category
  Message name;                      ///< name of the category
  std::vector<std::uint64_t> bytes;  ///< bytes by point
  double fixed = 0;
  double per_unit = 0;
  double at(double size) const { return fixed + per_unit * size; }
};

struct BatchFit {
  static constexpr double kMostSize = 1e12;

  std::vector<SizePoint> points;  ///< points of the line, and others to compare with it; ascending by size
  SizeLine peak;                  ///< line of the live memory
  SizeLine reserved;              ///< reserved memory of these runs, with rounding and fragmentation
  std::vector<SizeLine> lines;    ///< lines by category, largest growth first; their sum is `peak`
  std::optional<std::uint64_t> capacity;
  bool capacity_from_oom = false;
  /// Largest size whose live memory does not exceed the capacity; 0: none fits. If each allocation of a
  /// program grows linearly, its live memory is convex, so no larger size fits.
  std::optional<std::uint64_t> most_live;
  std::optional<std::uint64_t> most_reserved;  ///< largest size by `reserved`; approximate
  Message refused;                             ///< why there is no line, one sentence; empty if there is one
  std::vector<Message> doubts;                 ///< doubts, one sentence each
};

/// Fits the line. `sizes` are by SnapshotMember::source, 0 if unknown; for a file with several GPUs, the GPU
/// with the highest peak counts. `capacity`: if not set, that of an out-of-memory error of a file with a
/// known size. Members that ran out of memory or were truncated are not points.
///
/// Refused if there are fewer than two points or two points of one size. Refused if memory that is
/// independent of the batch (such as parameters) differs by more than 0.1 %, or if the peak does not
/// grow. Refused if a category with at least 5 % of the growth grows faster than the size: its line at size 0
/// is below -5 % of its bytes at the largest size. Refused if another size with the same peak line of code
/// deviates by more than 2 %. O(members * categories).
BatchFit batch_fit(const SnapshotSet& set, std::span<const std::uint64_t> sizes,
                   std::optional<std::uint64_t> capacity, ByteUnits units);
/// Returns sentences: the formula, the sizes that fit, and the doubts. If refused, only the reason.
std::vector<Message> batch_notes(const BatchFit& fit, ByteUnits units);

/// Returns a table with one row per category, then the peak and the reserved memory.
Table batch_table(const SnapshotSet& set, const BatchFit& fit, ByteUnits units);
extern const TableInfo kBatchTable;

}  // namespace kino
