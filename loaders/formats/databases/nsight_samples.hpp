// CPU samples of Nsight Systems next to their threads: call stacks, and when a thread ran on which CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/databases/recorded_processes.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

struct SampledStacks {
  std::uint64_t samples = 0;        ///< shown samples
  std::uint64_t without_stack = 0;  ///< rows whose stack is missing in the database: left out
  std::uint64_t too_deep = 0;       ///< samples that show only the innermost 256 frames
  std::int64_t typical_gap_ns = 0;  ///< median distance between samples of the thread with the most samples
};

struct SchedStats {
  std::uint64_t unpaired = 0;       ///< begins without an end and ends without a begin: left out
  std::uint64_t other_threads = 0;  ///< threads without any other event: left out
};

/// Returns the JSON-escaped string with this id in StringIds.
using StringById = std::function<std::string_view(std::int64_t)>;

/// Writes the samples of COMPOSITE_EVENTS with their SAMPLING_CALLCHAINS as nested slices of category
/// kSampleCategory, on a track next to the thread's. A frame lasts as long as consecutive samples contain it.
/// A sample lasts until the next one, but at most the thread's median distance if the next is more than twice
/// that away. O(rows log rows).
SampledStacks transcribe_samples(const Database& database, const Transcription& to,
                                 RecordedProcesses& processes, const StringById& string_of);

/// Writes SCHED_EVENTS as slices of category kSchedulingCategory, named after the CPU, on a track next to the
/// thread's. The table covers the whole machine, so only threads with other events are written. O(rows log
/// rows).
SchedStats import_sched_slices(const Database& database, const Transcription& to,
                               RecordedProcesses& processes);

}  // namespace kino
