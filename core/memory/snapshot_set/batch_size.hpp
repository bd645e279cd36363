// The peak as a line over the batch size, or any other size that snapshots of one program differ in.
#pragma once

#include <cstddef>
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

/// The number in each of these names that stands behind a word for a size ("bs8", "batch_16", "ctx512",
/// "seq-len=1024"), where all have one behind the same word and no two the same; else empty. O(letters).
std::vector<std::uint64_t> sizes_in_names(std::span<const std::string> names);
/// "8,16,32". Fails with a sentence for what is no list of numbers from 1 to 10^12.
Result<std::vector<std::uint64_t>> sizes_from_text(std::string_view text);

/// A member whose size is known.
struct SizePoint {
  std::uint32_t member = 0;
  std::uint64_t size = 0;
};

/// Bytes over the size: through those of the two largest.
struct SizeLine {
  std::string key;                   ///< SumRow::key of a category
  Message name;                      ///< of the category
  std::vector<std::uint64_t> bytes;  ///< by point
  double fixed = 0;
  double per_unit = 0;
  double at(double size) const { return fixed + per_unit * size; }
};

struct BatchFit {
  static constexpr double kMostSize = 1e12;

  std::vector<SizePoint> points;  ///< of which the line is made and with which it is compared; ascending
  SizeLine peak;                  ///< of live memory
  SizeLine reserved;              ///< as the allocator of these runs took it: with rounding and fragmentation
  std::vector<SizeLine> lines;    ///< by category, what grows most first; they add up to `peak`
  std::optional<std::uint64_t> capacity;
  bool capacity_from_oom = false;
  /// The largest size whose live memory is no more than the capacity. Live memory of a program whose
  /// allocations each grow in a line is convex, so a larger one does not fit. 0: none does.
  std::optional<std::uint64_t> most_live;
  std::optional<std::uint64_t> most_reserved;  ///< the same of `reserved`: about
  Message refused;                             ///< why there is no line, a sentence; else empty
  std::vector<Message> doubts;                 ///< what it rests on, a sentence each
};

/// `sizes` by SnapshotMember::source, 0 where it is not known; of a file with several GPUs that with the
/// highest peak counts. Without a capacity the one that an out-of-memory error of the set tells; a member
/// that ran out of memory is no point, nor is one that was not read to its end. Refused where what does not
/// depend on a batch (parameters, optimizer state) differs by more than 0.1 %, where the peak does not grow,
/// where something grows faster than the size, and where a third size, whose peak is of the same line of
/// code, is off by more than 2 %. O(members * categories).
BatchFit batch_fit(const SnapshotSet& set, std::span<const std::uint64_t> sizes,
                   std::optional<std::uint64_t> capacity, ByteUnits units);
/// The formula, what fits, and what it rests on, a sentence each; where it is refused why, and nothing else.
std::vector<Message> batch_notes(const BatchFit& fit, ByteUnits units);

/// A row a category, then the peak and what is reserved.
Table batch_table(const SnapshotSet& set, const BatchFit& fit, ByteUnits units);
extern const TableInfo kBatchTable;

}  // namespace kino
