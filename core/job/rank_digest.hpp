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
#include "core/trace/trace.hpp"

namespace kino {

/// Ranks that communicate with each other. Identified by name and members, since splits reuse names.
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

struct RankDigest {
  std::int64_t rank = -1;  ///< rank from the header; -1: unknown
  std::int64_t world_size = -1;
  std::int64_t first_ns = 0;  ///< Unix time of the first event; `last_ns`: of the end of the last one
  std::int64_t last_ns = 0;
  bool has_whole_us = false;  ///< times were recorded in whole microseconds
  StringTable texts;          ///< 0 is empty
  std::vector<RankGroup> groups;
  CommunicationKernels kernels;  ///< sorted by start, then end
  TraceIntervals stretches;      ///< intervals before the kernels, by index of the kernels
  // Ranges in Unix time by the rank's own clock; sorted, with gaps between them.
  PackedRanges compute;         ///< times in which at least one compute kernel runs
  PackedRanges copies;          ///< times in which at least one copy or memset runs
  std::vector<RankStep> steps;  ///< sorted by start
  KernelTimes kernel_times;     ///< of compute kernels
  RankMemory memory;
  std::vector<Table> tables;  ///< tables of the whole trace, used to build tables over all ranks
};

/// Returns the digest without tables. It is independent of the trace. O(slices).
RankDigest digest_of(const Trace& trace, const std::stop_token& stop = {});

/// Returns whether a digest that was read from a file is safe to use: all indices and kinds are valid, times
/// are sorted and sums of times cannot overflow, parts add up, and table columns have equal lengths. True for
/// results of digest_of(). Does not check that the content is correct. O(size).
bool is_consistent(const RankDigest& digest);

}  // namespace kino
