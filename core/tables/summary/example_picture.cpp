#include "core/tables/summary/example_picture.hpp"

#include <algorithm>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

constexpr std::int64_t kMinMarginNs = 2'000;
constexpr std::int64_t kMarginShare = 5;  // 20 %

class PictureMaker {
 public:
  PictureMaker(const Trace& trace, const FindingExample& example) : trace_(trace), example_(example) {
    const std::int64_t margin =
        std::max(kMinMarginNs, std::max<std::int64_t>(0, example.range.length_ns()) / kMarginShare);
    picture_.example = example.shown();
    std::int64_t end_ns = example.range.end_ns;
    add_saturating(end_ns, margin);
    std::int64_t begin_ns = example.range.begin_ns;
    add_saturating(begin_ns, -margin);
    picture_.range = clipped(trace.range, begin_ns, end_ns);
    picture_.from = share_of(picture_.example.begin_ns);
    picture_.to = share_of(picture_.example.end_ns);
  }

  ExamplePicture run() {
    if (picture_.range.length_ns() <= 0) return std::move(picture_);
    const auto [process, thread] = places();
    add_streams(process);
    if (thread != kNoTrack) add_thread(thread);
    return std::move(picture_);
  }

 private:
  float share_of(std::int64_t time_ns) const {
    const auto length = static_cast<double>(std::max<std::int64_t>(1, picture_.range.length_ns()));
    return static_cast<float>(
        std::clamp(static_cast<double>(time_ns - picture_.range.begin_ns) / length, 0.0, 1.0));
  }

  static constexpr std::uint32_t kNone = 0xffffffffU;

  /// Returns the index of the GPU and the thread that the example is about; kNone and kNoTrack if unknown.
  std::pair<std::uint32_t, TrackId> places() const {
    const SliceId slice = example_.slice;
    if (slice == kNoSlice) return {first_gpu(), kNoTrack};
    const TrackId track = trace_.track_of(slice);
    if (is_gpu_work(trace_.kind(slice))) {
      const SliceId launch = trace_.link(slice);
      return {trace_.track(track).process, launch != kNoSlice ? trace_.track_of(launch) : kNoTrack};
    }
    const SliceId work = trace_.link(slice);
    const bool launches = work != kNoSlice && is_gpu_work(trace_.kind(work));
    return {launches ? trace_.track(trace_.track_of(work)).process : first_gpu(), track};
  }

  std::uint32_t first_gpu() const {
    for (const Track& track : trace_.tracks) {
      if (track.kind == TrackKind::gpu_stream && track.row_count > 0) return track.process;
    }
    return kNone;
  }

  void add_streams(std::uint32_t process) {
    if (process >= trace_.processes.size()) return;
    const Process& gpu = trace_.processes[process];
    std::vector<std::pair<std::int64_t, PictureLane>> streams;
    for (std::uint32_t i = 0; i < gpu.track_count; ++i) {
      const TrackId track{gpu.first_track + i};
      if (trace_.track(track).kind != TrackKind::gpu_stream || trace_.track(track).row_count == 0) continue;
      PictureLane lane = lane_of(trace_.row(RowId{trace_.track(track).first_row}));
      lane.track = track;
      lane.gpu = true;
      std::int64_t busy = 0;
      for (const PictureLane::Piece& piece : lane.pieces)
        busy += static_cast<std::int64_t>((piece.to - piece.from) * 1e6F);
      if (!lane.pieces.empty()) streams.emplace_back(busy, std::move(lane));
    }
    std::ranges::stable_sort(streams, std::ranges::greater(), &std::pair<std::int64_t, PictureLane>::first);
    if (streams.size() > ExamplePicture::kMaxStreams) streams.resize(ExamplePicture::kMaxStreams);
    for (auto& [busy, lane] : streams) picture_.lanes.push_back(std::move(lane));
  }

  /// Adds rows of the thread, from the outermost row that is not filled by a single slice. A filled row, such
  /// as that of the step, shows nothing.
  void add_thread(TrackId id) {
    const Track& track = trace_.track(id);
    std::vector<PictureLane> lanes;
    for (std::uint32_t i = 0; i < track.row_count && lanes.size() < ExamplePicture::kMaxDepth; ++i) {
      PictureLane lane = lane_of(trace_.row(RowId{track.first_row + i}));
      lane.track = id;
      const bool filled =
          lane.pieces.size() == 1 && lane.pieces.front().from <= 0 && lane.pieces.front().to >= 1;
      const bool last = i + 1 == track.row_count;
      if (lane.pieces.empty() || (filled && lanes.empty() && !last)) continue;
      lanes.push_back(std::move(lane));
    }
    for (PictureLane& lane : lanes) picture_.lanes.push_back(std::move(lane));
  }

  /// Returns the pieces of a row. Searches each column by the level-of-detail index, so the cost hardly grows
  /// with the slices in the range.
  PictureLane lane_of(const Row& row) const {
    PictureLane lane;
    const TimeRange& range = picture_.range;
    const SliceWindow window = row_window(trace_, row, range);
    for (std::uint32_t at = window.first; at < window.last;) {
      const std::int64_t start = std::max(range.begin_ns, trace_.slices.start_ns[at]);
      const auto column = column_of(start);
      const std::int64_t next_ns = bin_edge_ns(range, ExamplePicture::kColumns, column + 1);
      const std::uint32_t end = std::max(at + 1, next_start_at(trace_, at, window.last, next_ns));
      const std::uint32_t longest = longest_of(row, at, end);
      const float from = share_of(start);
      const float to = std::max(share_of(trace_.end_ns(SliceId{end - 1})),
                                std::min(1.0F, from + 1.0F / static_cast<float>(ExamplePicture::kColumns)));
      const float after = lane.pieces.empty() ? 0 : lane.pieces.back().to;
      if (to > after) lane.pieces.push_back({std::max(from, after), to, SliceId{longest}});
      at = end;
    }
    return lane;
  }

  /// Returns the column of bin_edge_ns() that contains the time. Corrects the rounding of share_of().
  std::uint32_t column_of(std::int64_t time_ns) const {
    constexpr std::uint32_t kLast = ExamplePicture::kColumns - 1;
    auto column = std::min(
        kLast, static_cast<std::uint32_t>(share_of(time_ns) * static_cast<float>(ExamplePicture::kColumns)));
    while (column < kLast && bin_edge_ns(picture_.range, ExamplePicture::kColumns, column + 1) <= time_ns)
      ++column;
    return column;
  }

  /// Returns the longest slice of [first, end) of a row, the first on ties. O(log n).
  std::uint32_t longest_of(const Row& row, std::uint32_t first, std::uint32_t end) const {
    const auto durations = trace_.slices.duration_ns.sub(row.first_slice, row.slice_count);
    return row.first_slice +
           trace_.lod.longest_in(row.lod, durations, first - row.first_slice, end - row.first_slice);
  }

  const Trace& trace_;
  const FindingExample& example_;
  ExamplePicture picture_;
};

}  // namespace

ExamplePicture example_picture(const Trace& trace, const FindingExample& example) {
  return PictureMaker(trace, example).run();
}

}  // namespace kino
