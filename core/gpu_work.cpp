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

GpuWork gpu_work_in(const Trace& trace, TimeRange range, const std::stop_token& stop) {
  const SliceColumns& slices = trace.slices;
  GpuWork work;
  for (std::uint32_t track = 0; track < trace.tracks.size(); ++track) {
    const Track& it = trace.tracks[track];
    if (it.kind != TrackKind::gpu_stream) continue;
    StreamWork stream;
    stream.track = TrackId{track};
    for (std::uint32_t row = it.first_row; row < it.first_row + it.row_count; ++row) {
      const std::uint32_t first = trace.rows[row].first_slice;
      for (std::uint32_t i = first; i < first + trace.rows[row].slice_count; ++i) {
        if (i % kCancelStride == 0 && stop.stop_requested()) return {};
        if (is_gpu_work(slices.kind[i]) && in_range(range, slices.start_ns[i], slices.duration_ns[i])) {
          stream.slices.push_back(SliceId{i});
        }
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
