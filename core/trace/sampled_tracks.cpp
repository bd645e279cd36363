#include "core/trace/sampled_tracks.hpp"

#include <cstdint>
#include <string>

namespace kino {
namespace {

/// Returns the category of a track's first slice; empty if there are no slices. Tracks of samples or
/// scheduling have only one category.
std::string_view first_category(const Trace& trace, const Track& track) {
  if (track.row_count == 0 || trace.rows[track.first_row].slice_count == 0) return {};
  const std::uint32_t slice = trace.rows[track.first_row].first_slice;
  return trace.category_text(trace.slices.category[slice]);
}

}  // namespace

bool is_working_thread(const Trace& trace, const Track& track) {
  if (track.kind != TrackKind::cpu_thread) return false;
  const std::string_view category = first_category(trace, track);
  return category != kSampleCategory && category != kSchedulingCategory;
}

bool is_sampled_thread(const Trace& trace, const Track& track) {
  return track.kind == TrackKind::cpu_thread && first_category(trace, track) == kSampleCategory;
}

TrackId sampled_track_of(const Trace& trace, TrackId thread) {
  const Track& working = trace.track(thread);
  const Process& process = trace.processes[working.process];
  // Loaders set the tid of the track to the thread's number and a title: "1230493 CPU samples".
  const std::string start = working.tid.str() + " ";
  for (std::uint32_t i = process.first_track; i < process.first_track + process.track_count; ++i) {
    const Track& track = trace.tracks[i];
    if (track.tid.view().starts_with(start) && is_sampled_thread(trace, track)) return TrackId{i};
  }
  return kNoTrack;
}

}  // namespace kino
