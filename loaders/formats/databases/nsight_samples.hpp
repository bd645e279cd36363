// Imports CPU samples and scheduling of Nsight Systems: the call stacks of threads, and the CPUs on which
// they ran.
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
  std::uint64_t without_stack = 0;  ///< rows left out because the database lacks their stack
  std::uint64_t too_deep = 0;       ///< samples cut to the innermost 256 frames
  std::int64_t typical_gap_ns = 0;  ///< median sample distance of the most sampled thread
};

struct SchedStats {
  std::uint64_t unpaired = 0;       ///< start events without an end event, and vice versa; left out
  std::uint64_t other_threads = 0;  ///< threads that have no other event: left out
};

/// Returns the JSON-escaped string with this id in StringIds.
using StringById = std::function<std::string_view(std::int64_t)>;

/// Writes the samples of COMPOSITE_EVENTS with their SAMPLING_CALLCHAINS as nested slices of category
/// kSampleCategory, on a track next to their thread. A frame lasts as long as consecutive samples contain it.
/// A sample lasts until the next one; if that is more than twice the thread's median distance away, the
/// sample lasts for the median distance. O(rows log rows).
SampledStacks transcribe_samples(const Database& database, const Transcription& to,
                                 RecordedProcesses& processes, const StringById& string_of);

/// Writes SCHED_EVENTS as slices of category kSchedulingCategory, named after the CPU, on a track next to
/// their thread. The table covers the whole machine, so only threads with other events are written. O(rows
/// log rows).
SchedStats import_sched_slices(const Database& database, const Transcription& to,
                               RecordedProcesses& processes);

}  // namespace kino
