// What a job needs to know of one of its ranks: who it is, and what it communicated when. A thousand of them
// fit where two traces do.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/string_table.hpp"
#include "core/job/communication_kernels.hpp"
#include "core/job/gpu_index.hpp"
#include "core/job/rank_memory.hpp"
#include "core/job/stretch_times.hpp"
#include "core/tables/table.hpp"
#include "core/trace/packed/packed_ranges.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Ranks that communicate with each other. Known by name and members, never by the name alone: splits use
/// names again.
struct RankGroup {
  std::string name;
  std::string description;
  std::vector<std::int64_t> members;  ///< ranks of the job, ascending; empty: unknown
  bool operator==(const RankGroup&) const = default;
};

/// A step that the profiler has marked, on the CPU: Unix time by the rank's own clock.
struct RankStep {
  std::int64_t number = 0;
  TimeRange range;
  std::int64_t peak_bytes = -1;  ///< of RankDigest::memory within it; -1: the recording does not tell
};

struct RankDigest {
  std::int64_t rank = -1;  ///< as the header says; -1 where it does not
  std::int64_t world_size = -1;
  std::int64_t first_ns = 0;  ///< Unix time of the first and the last moment of its content
  std::int64_t last_ns = 0;
  bool whole_us = false;  ///< its recorder cut times to microseconds
  StringTable texts;      ///< 0 is empty
  std::vector<RankGroup> groups;
  CommunicationKernels kernels;  ///< by start, then end
  Stretches stretches;           ///< by index of the kernels: what it did before each
  // Unix time by the rank's own clock; disjoint, with a gap between them, in order.
  PackedRanges compute;         ///< while at least one kernel runs that does not communicate
  PackedRanges copies;          ///< while at least one copy or memset runs
  std::vector<RankStep> steps;  ///< in order of start
  KernelTimes kernel_times;     ///< of kernels that compute
  RankMemory memory;
  std::vector<Table> tables;  ///< of the trace as a whole, for whoever lays those of all ranks together
};

/// Without tables. O(slices); views nothing of the trace later. Empty when stopped.
RankDigest digest_of(const Trace& trace, const std::stop_token& stop = {});

/// Whether a digest that was read from a file can be used safely: every index and kind exists, times are in
/// order and can be added, parts add up, and tables have columns of one length. Results of digest_of() can.
/// Does not check that the content is right. O(everything).
bool holds_together(const RankDigest& digest);

}  // namespace kino
