// Tracks that show a thread's time in another form: its sampled call stacks, and its scheduling on CPUs. Sums
// over threads exclude these tracks.
#pragma once

#include <string_view>

#include "core/trace/trace.hpp"

namespace kino {

/// Categories of frames of sampled stacks, and of scheduling slices.
inline constexpr std::string_view kSampleCategory = "cpu_sample";
inline constexpr std::string_view kSchedulingCategory = "cpu_scheduling";

/// Whether the track is a CPU thread with its own events, neither samples nor scheduling. O(1).
bool is_working_thread(const Trace& trace, const Track& track);
/// Whether the track contains sampled stacks. O(1).
bool is_sampled_thread(const Trace& trace, const Track& track);
/// Returns the track with the sampled stacks of `thread`; kNoTrack if there is none. O(tracks of its
/// process).
TrackId sampled_track_of(const Trace& trace, TrackId thread);

}  // namespace kino
