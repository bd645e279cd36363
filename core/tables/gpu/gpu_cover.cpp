#include "core/tables/gpu/gpu_cover.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/tables/track_slices.hpp"

namespace kino {

GpuCover compute_during(const Trace& trace, SliceId slice, const std::stop_token& stop) {
  GpuCover cover;
  if (!is_gpu_work(trace.kind(slice))) return cover;
  const TimeRange own = trace.range_of(slice);
  const std::uint32_t gpu = trace.track(trace.track_of(slice)).process;
  std::vector<SliceId> kernels;
  for (const Track& track : trace.tracks) {
    if (track.process != gpu || track.kind != TrackKind::gpu_stream) continue;
    for_each_slice_of(trace, track, own, stop, [&](SliceId kernel) {
      if (trace.kind(kernel) == SliceKind::compute && kernel != slice) kernels.push_back(kernel);
    });
  }
  if (stop.stop_requested()) return cover;
  std::ranges::sort(kernels, {}, [&](SliceId kernel) { return std::pair(trace.start_ns(kernel), kernel); });
  struct NameCover {
    CoveringKernel sum;
    std::int64_t until_ns = 0;
    std::int64_t longest_ns = -1;
  };
  std::unordered_map<std::uint32_t, NameCover> names;
  std::int64_t until_ns = own.begin_ns;
  for (const SliceId kernel : kernels) {
    const std::int64_t begin = std::max(own.begin_ns, trace.start_ns(kernel));
    const std::int64_t end = std::min(own.end_ns, trace.end_ns(kernel));
    if (end <= begin) continue;
    cover.covered_ns += std::max<std::int64_t>(0, end - std::max(begin, until_ns));
    until_ns = std::max(until_ns, end);
    const NameId name = trace.name(kernel);
    NameCover& same_name = names.try_emplace(index_of(name), NameCover{{name}, own.begin_ns}).first->second;
    same_name.sum.overlap_ns += std::max<std::int64_t>(0, end - std::max(begin, same_name.until_ns));
    same_name.until_ns = std::max(same_name.until_ns, end);
    ++same_name.sum.count;
    if (end - begin <= same_name.longest_ns) continue;
    same_name.longest_ns = end - begin;
    same_name.sum.longest = kernel;
  }
  cover.length_ns = own.length_ns();
  for (const auto& [name, same_name] : names) cover.by_name.push_back(same_name.sum);
  std::ranges::sort(cover.by_name, {},
                    [](const CoveringKernel& kernel) { return std::pair(-kernel.overlap_ns, kernel.name); });
  return cover;
}

}  // namespace kino
