#include "core/tables/analysis/gpu_launches.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

constexpr std::size_t kMaxNamedGpus = 4;

/// Number of pieces of GPU work of one process, and how many of them have a recorded launch.
struct LinkedWork {
  std::uint64_t all = 0;
  std::uint64_t linked = 0;
};

std::string_view without_model(std::string_view title) { return title.substr(0, title.find(" \xC2\xB7 ")); }

}  // namespace

GpuLaunches gpu_launches(const Trace& trace, const std::stop_token& stop) {
  std::vector<LinkedWork> work(trace.processes.size());
  for (const Row& row : trace.rows) {
    const Track& track = trace.track(row.track);
    if (track.kind != TrackKind::gpu_stream || track.process >= work.size()) continue;
    LinkedWork& of_gpu = work[track.process];
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return {};
      if (!is_gpu_work(trace.slices.kind[i])) continue;
      ++of_gpu.all;
      if (trace.slices.link[i] != kNoSlice) ++of_gpu.linked;
    }
  }
  const auto half_linked = [](const LinkedWork& gpu) { return gpu.all > 0 && 2 * gpu.linked >= gpu.all; };
  const bool any_half = std::ranges::any_of(work, half_linked);
  GpuLaunches gpus;
  for (std::uint32_t i = 0; i < work.size(); ++i) {
    if (work[i].all == 0) continue;
    const bool known = any_half ? half_linked(work[i]) : work[i].linked > 0;
    (known ? gpus.known : gpus.unknown).push_back(i);
    gpus.some_of_unknown = gpus.some_of_unknown || (!known && work[i].linked > 0);
  }
  return gpus;
}

std::string listed_gpus(const Trace& trace, const std::vector<std::uint32_t>& gpus) {
  std::set<std::string_view> names;
  for (const std::uint32_t gpu : gpus) names.insert(without_model(trace.processes[gpu].title));
  const bool unique = names.size() == gpus.size();
  std::string text;
  for (std::size_t i = 0; i < std::min(gpus.size(), kMaxNamedGpus); ++i) {
    const std::string_view title = trace.processes[gpus[i]].title;
    text.append(i == 0 ? "" : ", ").append(unique ? without_model(title) : title);
  }
  return text.append(gpus.size() > kMaxNamedGpus ? ", ..." : "");
}

Message unknown_launches_text(const Trace& trace, const GpuLaunches& gpus) {
  if (!gpus.differ()) return {};
  return {gpus.some_of_unknown ? msg::most_launches_of_the_work_on : msg::the_launches_of_the_work_on,
          listed_gpus(trace, gpus.unknown)};
}

}  // namespace kino
