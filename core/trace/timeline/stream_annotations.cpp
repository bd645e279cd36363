#include "core/trace/timeline/stream_annotations.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/step_words.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

/// Largest number of rows of a stream in which annotations of single kernels are searched. In a stream with
/// more rows, work overlaps throughout.
constexpr std::uint32_t kMostRows = 64;

std::span<const Row> rows_of_track(const Trace& trace, std::uint32_t track) {
  return std::span(trace.rows).subspan(trace.tracks[track].first_row, trace.tracks[track].row_count);
}

/// Returns the only work of the stream inside `range`; kNoSlice if there are none or several.
SliceId only_work(const Trace& trace, std::uint32_t stream, TimeRange range) {
  SliceId only = kNoSlice;
  if (trace.tracks[stream].row_count > kMostRows) return only;
  for (const Row& row : rows_of_track(trace, stream)) {
    const std::uint32_t end = row.first_slice + row.slice_count;
    for (std::uint32_t i = first_start_at(trace, row, range.begin_ns); i < end; ++i) {
      if (trace.end_ns(SliceId{i}) > range.end_ns) break;
      if (!is_gpu_work(trace.slices.kind[i])) continue;
      if (only != kNoSlice) return kNoSlice;
      only = SliceId{i};
    }
  }
  return only;
}

/// Returns the annotations of a track except marks of steps, outer ones before inner ones.
std::vector<SliceId> annotations_of(const Trace& trace, std::uint32_t track, const std::stop_token& stop) {
  std::vector<SliceId> found;
  for (const Row& row : rows_of_track(trace, track)) {
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return {};
      if (!is_step_name(trace.name_of(SliceId{i}))) found.push_back(SliceId{i});
    }
  }
  std::ranges::sort(found, {}, [&](SliceId slice) {
    return std::tuple(trace.start_ns(slice), -trace.duration_ns(slice), slice);
  });
  return found;
}

void fill(const Trace& trace, StreamBrackets& brackets, std::vector<WorkAnnotation>& of_work,
          const std::stop_token& stop) {
  std::array<std::int64_t, kBracketLanes> ends{};
  ends.fill(std::numeric_limits<std::int64_t>::min());
  std::uint32_t seen = 0;
  for (const SliceId annotation : annotations_of(trace, brackets.annotations, stop)) {
    if (++seen % kCancelStride == 0 && stop.stop_requested()) return;
    const TimeRange range = trace.range_of(annotation);
    if (const SliceId work = only_work(trace, brackets.stream, range); work != kNoSlice) {
      of_work.push_back({work, annotation});
      continue;
    }
    const auto* const lane =
        std::ranges::find_if(ends, [&](std::int64_t end_ns) { return end_ns <= range.begin_ns; });
    if (lane == ends.end()) {
      ++brackets.left_out;
      continue;
    }
    const auto at = static_cast<std::size_t>(lane - ends.begin());
    brackets.lanes[at].push_back(annotation);
    ends[at] = range.end_ns;
  }
}

}  // namespace

const StreamBrackets* StreamAnnotations::of_stream(std::uint32_t track) const {
  const auto found = std::ranges::lower_bound(streams, track, {}, &StreamBrackets::stream);
  return found != streams.end() && found->stream == track ? &*found : nullptr;
}

const StreamBrackets* StreamAnnotations::of_annotations(std::uint32_t track) const {
  const auto track_of = [&](std::uint32_t index) { return streams[index].annotations; };
  const auto found = std::ranges::lower_bound(by_annotations, track, {}, track_of);
  return found != by_annotations.end() && track_of(*found) == track ? &streams[*found] : nullptr;
}

std::span<const WorkAnnotation> StreamAnnotations::of(SliceId work) const {
  const auto first = std::ranges::lower_bound(of_work, work, {}, &WorkAnnotation::work);
  return {first, std::ranges::upper_bound(first, of_work.end(), work, {}, &WorkAnnotation::work)};
}

std::optional<std::uint32_t> bracket_lane(const Trace& trace, const StreamBrackets& brackets,
                                          SliceId annotation) {
  const auto start_of = [&](SliceId slice) { return trace.start_ns(slice); };
  for (std::uint32_t lane = 0; lane < kBracketLanes; ++lane) {
    // Only annotations without length can start at the same time as others of their lane.
    const std::vector<SliceId>& slices = brackets.lanes[lane];
    const std::int64_t start_ns = start_of(annotation);
    for (auto at = std::ranges::lower_bound(slices, start_ns, {}, start_of);
         at != slices.end() && start_of(*at) == start_ns; ++at) {
      if (*at == annotation) return lane;
    }
  }
  return std::nullopt;
}

StreamAnnotations annotated_streams(const Trace& trace) {
  struct Named {
    std::uint32_t process = 0;
    std::string_view tid;
    std::uint32_t track = 0;
  };
  const auto key = [](const Named& named) { return std::pair(named.process, named.tid); };
  std::vector<Named> streams;
  std::vector<Named> annotations;
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (track.kind == TrackKind::gpu_stream) streams.push_back({track.process, track.tid, i});
    if (track.kind == TrackKind::gpu_annotation) annotations.push_back({track.process, track.tid, i});
  }
  StreamAnnotations found;
  if (annotations.empty()) return found;
  std::ranges::sort(streams, {}, key);
  for (const Named& own : annotations) {
    const auto first = std::ranges::lower_bound(streams, key(own), {}, key);
    const auto last = std::ranges::upper_bound(first, streams.end(), key(own), {}, key);
    // If several streams have the same tid, the owner is unclear.
    if (last - first == 1) {
      StreamBrackets& made = found.streams.emplace_back();
      made.stream = first->track;
      made.annotations = own.track;
    }
  }
  std::ranges::sort(found.streams, {}, &StreamBrackets::stream);
  // A stream has one track of annotations. Others remain tracks of their own.
  const auto same_stream = [](const StreamBrackets& a, const StreamBrackets& b) {
    return a.stream == b.stream;
  };
  found.streams.erase(std::unique(found.streams.begin(), found.streams.end(), same_stream),
                      found.streams.end());
  found.by_annotations.reserve(found.streams.size());
  for (std::uint32_t i = 0; i < found.streams.size(); ++i) found.by_annotations.push_back(i);
  std::ranges::sort(found.by_annotations, {},
                    [&](std::uint32_t index) { return found.streams[index].annotations; });
  return found;
}

StreamAnnotations stream_annotations(const Trace& trace, const std::stop_token& stop) {
  StreamAnnotations found = annotated_streams(trace);
  for (StreamBrackets& brackets : found.streams) fill(trace, brackets, found.of_work, stop);
  // Use a stable sort, so that outer annotations remain first.
  std::ranges::stable_sort(found.of_work, {}, &WorkAnnotation::work);
  return found;
}

}  // namespace kino
