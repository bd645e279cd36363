// What Nsight Systems sampled on CPUs, beside their threads: call stacks, and when a thread was on which CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/databases/recorded_processes.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

struct SampledStacks {
  std::uint64_t samples = 0;        ///< shown
  std::uint64_t without_stack = 0;  ///< rows whose stack is not in the database: left out
  std::uint64_t too_deep = 0;       ///< samples of which only the innermost 256 frames are shown
  std::int64_t typical_gap_ns = 0;  ///< from one to the next, the median of the thread with the most
};

struct ThreadTurns {
  std::uint64_t unpaired = 0;       ///< begins without an end and ends without a begin: left out
  std::uint64_t other_threads = 0;  ///< without any other event: left out
};

/// Escaped, of a number in StringIds.
using StringOf = std::function<std::string_view(std::int64_t)>;

/// Samples of COMPOSITE_EVENTS with their SAMPLING_CALLCHAINS, as slices of category kSampleCategory on a
/// track beside the thread's: a frame in its caller, as long as samples next to each other agree on it. A
/// sample stands for the time to the next one, or where that is more than twice the thread's median distance,
/// for that. O(rows log rows).
SampledStacks transcribe_samples(const Database& database, const Transcription& to,
                                 RecordedProcesses& processes, const StringOf& string_of);

/// SCHED_EVENTS as slices of category kSchedulingCategory, named after the CPU, on a track beside the
/// thread's; of threads that have other events, since the table has those of the whole machine. O(rows log
/// rows).
ThreadTurns transcribe_turns(const Database& database, const Transcription& to, RecordedProcesses& processes);

}  // namespace kino
