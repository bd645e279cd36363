#include "core/trace/links/gpu_work.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/string_table.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

/// Whether another process has GPU streams. GPUs are first, so if there are several, the loop usually ends
/// after one or two checks.
bool has_streams_besides(const Trace& trace, std::uint32_t process) {
  for (std::uint32_t p = 0; p < trace.processes.size(); ++p) {
    if (p == process) continue;
    const Process& other = trace.processes[p];
    const auto tracks = std::span(trace.tracks).subspan(other.first_track, other.track_count);
    if (std::ranges::any_of(tracks, [](const Track& track) { return track.kind == TrackKind::gpu_stream; }))
      return true;
  }
  return false;
}

}  // namespace

std::span<const StreamWork> GpuWork::of_process(const Trace& trace, std::uint32_t process) const {
  const auto process_of = [&](const StreamWork& stream) { return trace.track(stream.track).process; };
  return {std::ranges::lower_bound(streams, process, {}, process_of),
          std::ranges::upper_bound(streams, process, {}, process_of)};
}

std::size_t GpuWork::size() const {
  std::size_t sum = 0;
  for (const StreamWork& stream : streams) sum += stream.slices.size();
  return sum;
}

GpuWork gpu_work_in(const Trace& trace, TimeRange range, const std::stop_token& stop) {
  const SliceColumns& slices = trace.slices;
  GpuWork work;
  for (std::uint32_t track = 0; track < trace.tracks.size(); ++track) {
    const Track& gpu_stream = trace.tracks[track];
    if (gpu_stream.kind != TrackKind::gpu_stream) continue;
    StreamWork stream;
    stream.track = TrackId{track};
    for (std::uint32_t row = gpu_stream.first_row; row < gpu_stream.first_row + gpu_stream.row_count; ++row) {
      const SliceWindow part = row_window(trace, trace.rows[row], range);
      for (std::uint32_t i = part.first; i < part.last; ++i) {
        if (i % kCancelStride == 0 && stop.stop_requested()) return {};
        if (is_gpu_work(slices.kind[i])) stream.slices.push_back(SliceId{i});
      }
    }
    if (stream.slices.empty()) continue;
    const auto key = [&](SliceId id) {
      return std::tuple(trace.start_ns(id), trace.end_ns(id), trace.source_offset(id));
    };
    if (!std::ranges::is_sorted(stream.slices, {}, key)) std::ranges::sort(stream.slices, {}, key);
    work.streams.push_back(std::move(stream));
  }
  return work;
}

std::int64_t whole_graph_ns(const Trace& trace, std::span<const TimeRange> windows) {
  const std::uint32_t category = trace.categories.find(kWholeGraphCategory);
  if (category == StringTable::kAbsent) return 0;
  const SliceColumns& slices = trace.slices;
  std::int64_t sum_ns = 0;
  const auto add = [&](std::uint32_t slice) {
    const std::int64_t start_ns = slices.start_ns[slice];
    const std::int64_t end_ns = trace.end_ns(SliceId{slice});
    auto window = std::ranges::upper_bound(windows, start_ns, {}, &TimeRange::end_ns);
    for (; window != windows.end() && window->begin_ns < end_ns; ++window)
      add_saturating(sum_ns, clipped(*window, start_ns, end_ns).length_ns());
  };
  for (const Row& row : trace.rows) {
    if (trace.track(row.track).kind != TrackKind::gpu_stream) continue;
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (index_of(slices.category[i]) == category && is_gpu_work(slices.kind[i])) add(i);
    }
  }
  return sum_ns;
}

std::string stream_number(const Track& track) {
  constexpr std::string_view kPrefix = "stream ";
  const std::string_view tid = track.tid;
  return std::string(tid.starts_with(kPrefix) ? tid.substr(kPrefix.size()) : tid);
}

Message stream_name(const Trace& trace, TrackId track) {
  const Track& stream = trace.track(track);
  std::string number = stream_number(stream);
  const Process& gpu = trace.processes[stream.process];
  const auto neighbors = std::span(trace.tracks).subspan(gpu.first_track, gpu.track_count);
  // Work of an unknown stream is listed by its launching thread, whose number may equal a stream's number.
  const bool unique = std::ranges::count_if(neighbors, [&](const Track& other) {
                        return other.kind == TrackKind::gpu_stream && stream_number(other) == number;
                      }) <= 1;
  const bool several = has_streams_besides(trace, stream.process);
  if (unique && !several) return number;
  if (!several) return unique_track_name(trace, index_of(track));
  const std::string_view title = gpu.title;
  std::string device(title.substr(0, title.find(" \xC2\xB7 ")));
  device += title_suffix(trace, stream.process);
  if (unique) return {msg::stream_of_device, device, number};
  return device.append(" ").append(unique_track_name(trace, index_of(track)));
}

}  // namespace kino
