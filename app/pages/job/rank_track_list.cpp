#include "app/pages/job/rank_track_list.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/ui/text/model_texts.hpp"
#include "app/ui/view/track_arrangement.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostTracks = 40;

RankTrackLine line_of(const Trace& trace, std::uint32_t track) {
  const Track& source = trace.tracks[track];
  RankTrackLine line;
  line.track = track;
  line.first_row = source.first_row;
  line.lanes = std::min(source.row_count, RankTrackLine::kMostLanes);
  line.title = name_text(trace, track);
  line.contents = source.contents.str();
  return line;
}

}  // namespace

RankTrackList track_list_of(const WantedTrace& wanted) {
  RankTrackList list;
  list.state = wanted.state;
  list.error = wanted.error;
  list.trace = wanted.trace;
  if (list.trace == nullptr) return list;
  const Trace& trace = *list.trace;
  const TrackId launching = main_thread_of(trace);
  const std::vector<std::uint8_t> idle = Arrangement::defaults(trace).idle;
  std::vector<RankTrackLine> threads;
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (track.row_count == 0 || trace.processes[track.process].bookkeeping) continue;
    if (track.kind == TrackKind::gpu_stream) list.lines.push_back(line_of(trace, i));
    if (track.kind != TrackKind::cpu_thread) continue;
    const bool launches = TrackId{i} == launching;
    if (!launches && idle[i] != 0) continue;
    threads.push_back(line_of(trace, i));
    threads.back().launches = launches;
  }
  std::stable_partition(threads.begin(), threads.end(),
                        [](const RankTrackLine& line) { return line.launches; });
  std::ranges::move(threads, std::back_inserter(list.lines));
  if (list.lines.size() > kMostTracks) {
    list.more = static_cast<std::uint32_t>(list.lines.size() - kMostTracks);
    list.lines.resize(kMostTracks);
  }
  return list;
}

}  // namespace kino
