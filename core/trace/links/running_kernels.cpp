#include "core/trace/links/running_kernels.hpp"

namespace kino {

RunningKernels running_kernels(const Trace& trace, std::uint32_t process, std::int64_t time_ns) {
  RunningKernels found;
  std::uint32_t count = 0;
  const auto key = [&](SliceId slice) { return std::pair(trace.kind(slice), -trace.duration_ns(slice)); };
  const Process& gpu = trace.processes[process];
  for (std::uint32_t t = gpu.first_track; t < gpu.first_track + gpu.track_count; ++t) {
    const Track& track = trace.tracks[t];
    if (track.kind != TrackKind::gpu_stream) continue;
    for (std::uint32_t r = track.first_row; r < track.first_row + track.row_count; ++r) {
      const SliceId slice = trace.slice_at(RowId{r}, time_ns);
      if (slice == kNoSlice || !is_gpu_work(trace.kind(slice))) continue;
      ++count;
      if (found.first == kNoSlice || key(slice) < key(found.first)) found.first = slice;
    }
  }
  found.more = count > 0 ? count - 1 : 0;
  return found;
}

}  // namespace kino
