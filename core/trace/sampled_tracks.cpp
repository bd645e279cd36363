#include "core/trace/sampled_tracks.hpp"

namespace kino {
namespace {

/// Such tracks have slices of one category only. Empty without any.
std::string_view first_category(const Trace& trace, const Track& track) {
  if (track.row_count == 0 || trace.rows[track.first_row].slice_count == 0) return {};
  const std::uint32_t slice = trace.rows[track.first_row].first_slice;
  return trace.categories[index_of(trace.slices.category[slice])];
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

}  // namespace kino
