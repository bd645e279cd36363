// The part of a trace that the analysis of a job needs: rank, groups and communication. A thousand digests
// fit in the memory of two traces.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/string_table.hpp"
#include "core/job/communication_kernels.hpp"
#include "core/job/gpu_index.hpp"
#include "core/job/interval_times.hpp"
#include "core/job/rank_memory.hpp"
#include "core/tables/table.hpp"
#include "core/trace/packed/packed_ranges.hpp"
#include "core/trace/packed/packed_table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A process group: ranks that communicate with each other. Identified by name and members, because
/// communicators that are split off reuse names.
struct RankGroup {
  std::string name;
  std::string description;
  std::vector<std::int64_t> members;  ///< ranks of the job, ascending; empty: unknown
  bool operator==(const RankGroup&) const = default;
};

/// A step on the CPU as marked by the profiler, in Unix time by the rank's own clock.
struct RankStep {
  std::int64_t number = 0;
  TimeRange range;
  std::int64_t peak_bytes = -1;  ///< peak of RankDigest::memory in the step; -1: unknown
};

/// The ledger of a rank's steps (core/tables/ledger) as far as one trace shows it. Rows are values of
/// StepRow, as numbers.
struct RankLedger {
  /// A step on one GPU, in Unix time by the rank's own clock. Without steps, from the first work to the last.
  struct Window {
    std::int64_t step = -1;  ///< -1: the trace marks no steps
    std::uint32_t gpu = 0;   ///< number of the device, as index into RankDigest::texts
    TimeRange range;
  };
  static constexpr std::size_t kTimeColumns = 3;   ///< window, row, ns
  static constexpr std::size_t kPieceColumns = 5;  ///< window, row, kernel, begin, length
  static constexpr std::int64_t kNoKernel = -1;

  std::vector<Window> windows;
  PackedTable times;  ///< rows with a time other than 0; the rows of a window add up to its length
  /// Parts of `times` whose row depends on the other ranks: exposed collectives, and idle time during
  /// messages on CPU threads. Each has an index into RankDigest::kernels, or kNoKernel. Disjoint in a window.
  PackedTable pieces;
};

struct RankDigest {
  std::int64_t rank = -1;  ///< rank from the header; -1: unknown
  std::int64_t world_size = -1;
  std::int64_t first_ns = 0;  ///< Unix time of the first event
  std::int64_t last_ns = 0;   ///< Unix time of the end of the last event
  bool has_whole_us = false;  ///< whether all times of `kernels` are whole microseconds
  StringTable texts;          ///< 0 is empty
  std::vector<RankGroup> groups;
  CommunicationKernels kernels;  ///< sorted by start, then end
  TraceIntervals stretches;      ///< intervals before the kernels, by index of the kernels
  // Ranges in Unix time by the rank's own clock; sorted, with gaps between them.
  PackedRanges compute;         ///< times in which at least one compute kernel runs
  PackedRanges copies;          ///< times in which at least one copy or memset runs
  std::vector<RankStep> steps;  ///< sorted by start
  KernelTimes kernel_times;     ///< durations of compute kernels
  RankMemory memory;
  RankLedger ledger;
  std::vector<Table> tables;  ///< tables of the whole trace, used to build tables over all ranks
};

/// Returns the digest without ledger and tables. It is independent of the trace. O(slices).
RankDigest digest_of(const Trace& trace, const std::stop_token& stop = {});

/// Returns whether a digest that was read from a file is safe to use: indices into the digest and kinds are
/// valid, kernels and ranges are sorted, sums of times cannot overflow, parts add up, and table columns have
/// equal lengths. True for results of digest_of(). Does not check that the content is correct. O(size).
bool is_consistent(const RankDigest& digest);

}  // namespace kino
