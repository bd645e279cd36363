// Tracks that show the time of a thread a second time, beside it: what a profiler sampled of its stacks, and
// its turns on CPUs. Sums over threads leave them out.
#pragma once

#include <string_view>

#include "core/trace/trace.hpp"

namespace kino {

/// Of slices that are frames of sampled stacks, and turns on a CPU.
inline constexpr std::string_view kSampleCategory = "cpu_sample";
inline constexpr std::string_view kSchedulingCategory = "cpu_scheduling";

/// Whether it is a thread with what it did itself. O(1).
bool is_working_thread(const Trace& trace, const Track& track);
/// Whether it has sampled stacks. O(1).
bool is_sampled_thread(const Trace& trace, const Track& track);
/// Returns the track with the sampled stacks of `thread`; kNoTrack without one. O(tracks of its process).
TrackId sampled_track_of(const Trace& trace, TrackId thread);

}  // namespace kino
