// Repeated sequences of GPU work on a stream: candidates for a fused kernel or a graph.
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

/// Lengths of the searched sequences, in pieces of work.
inline constexpr std::array<std::size_t, 12> kSequenceLengths{2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64};
/// Maximum number of sequences per length.
inline constexpr std::size_t kMaxSequences = 20;

/// Sequence of names of consecutive work on one stream, in order of start. Counted occurrences do not
/// overlap.
struct SequenceRow {
  std::vector<NameId> names;
  std::uint64_t count = 0;    ///< number of occurrences, at least 2
  std::int64_t total_ns = 0;  ///< summed durations of the work in all occurrences, clipped to the range
  SliceId first = kNoSlice;   ///< first piece of the first occurrence
};

/// Returns the sequences with the most time of each length, most time first. Omits sequences that mostly
/// overlap a sequence of their length with more time, and parts of a longer sequence with equally many
/// occurrences. Sequences are compared exactly, not by hash. O(work * lengths) on average.
std::vector<SequenceRow> sequence_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                                       const std::stop_token& stop = {});
/// Returns the work of all occurrences of the sequence that starts with `first`, by stream. O(work * length).
std::vector<SliceId> sequence_instances(const Trace& trace, const GpuWork& work, SliceId first,
                                        std::size_t length);

/// Table `sequences`: one row per sequence.
Table sequence_table(const Trace& trace, const std::vector<SequenceRow>& rows);
extern const TableKind<RangeParts> kSequenceTable;

}  // namespace kino
