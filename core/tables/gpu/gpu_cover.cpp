#include "core/tables/gpu/gpu_cover.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/base/parallel.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/row_window.hpp"

namespace kino {

GpuCover compute_during(const Trace& trace, SliceId slice, const std::stop_token& stop) {
  GpuCover cover;
  const SliceColumns& slices = trace.slices;
  if (!is_gpu_work(trace.kind(slice))) return cover;
  const TimeRange own = trace.range_of(slice);
  const std::uint32_t gpu = trace.track(trace.track_of(slice)).process;
  std::vector<std::uint32_t> kernels;
  for (const Track& track : trace.tracks) {
    if (track.process != gpu || track.kind != TrackKind::gpu_stream) continue;
    for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
      const SliceWindow part = row_window(trace, trace.rows[row], own);
      for (std::uint32_t i = part.first; i < part.last; ++i) {
        if (i % kCancelStride == 0 && stop.stop_requested()) return cover;
        if (slices.kind[i] == SliceKind::compute && i != index_of(slice)) kernels.push_back(i);
      }
    }
  }
  std::sort(kernels.begin(), kernels.end(), [&](std::uint32_t a, std::uint32_t b) {
    return slices.start_ns[a] != slices.start_ns[b] ? slices.start_ns[a] < slices.start_ns[b] : a < b;
  });
  struct OfName {
    CoveringKernel sum;
    std::int64_t until_ns = 0;
    std::int64_t longest_ns = -1;
  };
  std::unordered_map<std::uint32_t, OfName> names;
  std::int64_t until_ns = own.begin_ns;
  for (const std::uint32_t i : kernels) {
    const std::int64_t begin = std::max(own.begin_ns, slices.start_ns[i]);
    const std::int64_t end = std::min(own.end_ns, trace.end_ns(SliceId{i}));
    if (end <= begin) continue;
    cover.covered_ns += std::max<std::int64_t>(0, end - std::max(begin, until_ns));
    until_ns = std::max(until_ns, end);
    OfName& of =
        names.try_emplace(index_of(slices.name[i]), OfName{{slices.name[i]}, own.begin_ns}).first->second;
    of.sum.overlap_ns += std::max<std::int64_t>(0, end - std::max(begin, of.until_ns));
    of.until_ns = std::max(of.until_ns, end);
    ++of.sum.count;
    if (end - begin <= of.longest_ns) continue;
    of.longest_ns = end - begin;
    of.sum.longest = SliceId{i};
  }
  cover.length_ns = own.length_ns();
  for (const auto& [name, of] : names) cover.by_name.push_back(of.sum);
  std::sort(cover.by_name.begin(), cover.by_name.end(), [](const CoveringKernel& a, const CoveringKernel& b) {
    return a.overlap_ns != b.overlap_ns ? a.overlap_ns > b.overlap_ns : index_of(a.name) < index_of(b.name);
  });
  return cover;
}

}  // namespace kino
