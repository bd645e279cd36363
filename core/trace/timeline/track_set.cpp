#include "core/trace/timeline/track_set.hpp"

#include <algorithm>
#include <iterator>

namespace kino {

ChosenSlices::ChosenSlices(const Trace& trace, const TrackSet& choice)
    : whole_(trace.tracks.size(), 0), streams_(choice.packed) {
  std::vector<std::uint8_t> packed_process(trace.processes.size(), 0);
  for (const std::uint32_t track : choice.tracks) {
    if (track < whole_.size()) {
      whole_[track] = 1;
    } else if (streams_ != nullptr && streams_->holds_track(track)) {
      const Track& chosen = streams_->tracks[track - streams_->first_track];
      if (chosen.row_count == 0) continue;
      // The rows of a track are contiguous, and so are their slices.
      const std::uint32_t first = chosen.first_row - streams_->first_row;
      const Row& last = streams_->rows[first + chosen.row_count - 1];
      packed_slices_.emplace_back(streams_->rows[first].first_slice, last.first_slice + last.slice_count);
      packed_process[chosen.process] = 1;
    }
  }
  std::ranges::sort(packed_slices_);
  for (std::uint32_t track = 0; track < whole_.size(); ++track) {
    const Track& chosen = trace.tracks[track];
    const bool packed = chosen.kind == TrackKind::gpu_stream && packed_process[chosen.process] != 0;
    if (whole_[track] != 0 || packed) tracks_.push_back(TrackId{track});
  }
}

bool ChosenSlices::packed(SliceId slice) const {
  if (packed_slices_.empty() || !streams_->holds(slice)) return false;
  const std::uint32_t at = streams_->position[index_of(slice) - streams_->first_slice];
  const auto after =
      std::ranges::upper_bound(packed_slices_, at, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
  return after != packed_slices_.begin() && at < std::prev(after)->second;
}

}  // namespace kino
