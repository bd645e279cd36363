// What a job needs to know of one of its ranks: who it is, and what it communicated when. A thousand of them
// fit where two traces do.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/string_table.hpp"
#include "core/gpu/collective_facts.hpp"
#include "core/job/gpu_index.hpp"
#include "core/job/rank_memory.hpp"
#include "core/job/stretch_times.hpp"
#include "core/table/table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// By what the group of a communication is known.
enum class GroupEvidence : std::uint8_t {
  kernel,      ///< its own arguments
  annotation,  ///< what lies around its launch
  stream,      ///< all others on its stream are of that group
  only_group,  ///< the rank has no other
  none,
};

/// Ranks that communicate with each other. Known by name and members, never by the name alone: splits use
/// names again.
struct RankGroup {
  std::string name;
  std::string description;
  std::vector<std::int64_t> members;  ///< ranks of the job, ascending; empty: unknown
  bool operator==(const RankGroup&) const = default;
};

/// One kernel that communicates. What is unknown is -1 or 0.
struct CommunicationKernel {
  static constexpr std::uint32_t kNoGroup = 0xffffffffU;

  std::int64_t start_ns = 0;  ///< Unix time by the rank's own clock
  std::int64_t duration_ns = 0;
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t sequence = -1;
  std::uint64_t communication = 0;
  std::int64_t source = -1;  ///< of a message: ranks of the job
  std::int64_t target = -1;
  std::int64_t step = -1;  ///< number of the step that launched it
  SliceId slice = kNoSlice;
  std::uint32_t group = kNoGroup;  ///< of RankDigest::groups
  std::uint32_t family = 0;        ///< text: "all-reduce", "deep_ep"; of RankDigest::texts, as the next two
  std::uint32_t algorithm = 0;     ///< the kernel's name without its template arguments, equal on all ranks
  std::uint32_t dtype = 0;         ///< 0: unknown
  std::uint32_t stream = 0;
  CollectiveKind kind = CollectiveKind::other;
  GroupEvidence evidence = GroupEvidence::none;
  bool custom = false;  ///< of no NCCL, RCCL or HCCL, so of a group that those do not know

  std::int64_t end_ns() const { return start_ns + duration_ns; }
  bool is_message() const { return kind == CollectiveKind::send || kind == CollectiveKind::receive; }
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
  std::vector<CommunicationKernel> kernels;  ///< by start, then end
  std::vector<Stretch> stretches;            ///< by index of the kernels: what it did before each
  // Unix time by the rank's own clock; disjoint, with a gap between them, in order.
  std::vector<TimeRange> compute;    ///< while at least one kernel runs that does not communicate
  std::vector<TimeRange> copies;     ///< while at least one copy or memset runs
  std::vector<RankStep> steps;       ///< in order of start
  std::vector<KernelClass> classes;  ///< of kernels that compute, by key
  RankMemory memory;
  std::vector<Table> tables;  ///< of the trace as a whole, for whoever lays those of all ranks together
};

/// Without tables. O(slices); views nothing of the trace later. Empty when stopped.
RankDigest digest_of(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
