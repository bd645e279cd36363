// Sequences of GPU work that come again on a stream: what a fused kernel or a graph could take the place of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// How long the sequences are that are looked for, in pieces of work.
inline constexpr std::array<std::size_t, 12> kSequenceLengths{2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64};
/// So many of each length are kept.
inline constexpr std::size_t kMostSequences = 20;

/// Names that follow each other on one stream, in order of start. Occurrences do not overlap: each begins at
/// or behind the end of the one before.
struct SequenceRow {
  std::vector<NameId> names;
  std::uint64_t count = 0;    ///< occurrences, at least 2
  std::int64_t total_ns = 0;  ///< summed durations of their work, clipped to the range
  SliceId first = kNoSlice;   ///< the first piece of the first occurrence
};

/// Those with the most time of each length, the most time first. Left out are those that mostly overlap one
/// of their length before them, and those that lie in a longer one that comes as often. Sequences are
/// compared name by name, not by a hash alone. O(work * lengths) on average.
std::vector<SequenceRow> sequence_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                                       const std::stop_token& stop = {});
/// All work of the occurrences of such a row, by stream. O(work * length).
std::vector<SliceId> sequence_instances(const Trace& trace, const GpuWork& work, SliceId first,
                                        std::size_t length);

/// `sequences`: a row a sequence.
Table sequence_table(const Trace& trace, const std::vector<SequenceRow>& rows);
extern const TableKind<RangeParts> kSequenceTable;

}  // namespace kino
