#include "core/gpu_work.hpp"

#include <tuple>

#include "core/parallel.hpp"
#include "core/time_text.hpp"

namespace kino {

std::size_t GpuWork::size() const {
  std::size_t sum = 0;
  for (const StreamWork& stream : streams) sum += stream.slices.size();
  return sum;
}

SliceSpan slices_in(const Trace& trace, const Row& row, TimeRange range) {
  const std::span<const std::int64_t> starts = trace.slices.start_ns.sub(row.first_slice, row.slice_count);
  const auto place = [&](std::int64_t time_ns) {
    const auto at = std::lower_bound(starts.begin(), starts.end(), time_ns);
    return row.first_slice + static_cast<std::uint32_t>(at - starts.begin());
  };
  // Slices of a row are disjoint: only the last one that starts before the range can reach into it.
  std::uint32_t first = place(range.begin_ns);
  if (first > row.first_slice &&
      in_range(range, trace.slices.start_ns[first - 1], trace.slices.duration_ns[first - 1])) {
    --first;
  }
  return {first, std::max(first, place(range.end_ns))};
}

GpuWork gpu_work_in(const Trace& trace, TimeRange range, const std::stop_token& stop) {
  const SliceColumns& slices = trace.slices;
  GpuWork work;
  for (std::uint32_t track = 0; track < trace.tracks.size(); ++track) {
    const Track& it = trace.tracks[track];
    if (it.kind != TrackKind::gpu_stream) continue;
    StreamWork stream;
    stream.track = TrackId{track};
    for (std::uint32_t row = it.first_row; row < it.first_row + it.row_count; ++row) {
      const SliceSpan part = slices_in(trace, trace.rows[row], range);
      for (std::uint32_t i = part.first; i < part.last; ++i) {
        if (i % kCancelStride == 0 && stop.stop_requested()) return {};
        if (is_gpu_work(slices.kind[i])) stream.slices.push_back(SliceId{i});
      }
    }
    if (stream.slices.empty()) continue;
    const auto before = [&](SliceId a, SliceId b) {
      const auto key = [&](SliceId id) {
        return std::tuple(slices.start_ns[index_of(id)], trace.end_ns(id),
                          slices.source_offset[index_of(id)]);
      };
      return key(a) < key(b);
    };
    if (!std::is_sorted(stream.slices.begin(), stream.slices.end(), before))
      std::sort(stream.slices.begin(), stream.slices.end(), before);
    work.streams.push_back(std::move(stream));
  }
  return work;
}

std::string stream_name(const Trace& trace, TrackId track) {
  const Track* other = nullptr;
  for (const Track& it : trace.tracks) {
    if (it.kind == TrackKind::gpu_stream && it.process != trace.tracks[index_of(track)].process) other = &it;
  }
  const Track& it = trace.tracks[index_of(track)];
  constexpr std::string_view kPrefix = "stream ";
  std::string number = it.tid.starts_with(kPrefix) ? it.tid.substr(kPrefix.size()) : it.tid;
  if (other == nullptr) return number;
  return "GPU " + trace.processes[it.process].pid + " stream " + number;
}

std::string launch_coverage(std::int64_t known_ns, std::int64_t all_ns) {
  return text_from_share(static_cast<double>(known_ns) / static_cast<double>(all_ns)) +
         " of GPU time has a launching operator.";
}

}  // namespace kino
