#include "core/trace/links/graph_replays.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "core/base/parallel.hpp"
#include "core/trace/links/launch_calls.hpp"

namespace kino {

std::vector<GraphReplay> graph_replays(const Trace& trace, TimeRange range, const std::stop_token& stop) {
  const SliceColumns& slices = trace.slices;
  const LaunchCalls calls(trace);
  std::vector<GraphReplay> replays;
  std::unordered_map<std::uint32_t, std::size_t> indices;  // by launch
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    if (slices.kind[i] != SliceKind::runtime) continue;
    const bool within = slices.start_ns[i] >= range.begin_ns && slices.start_ns[i] < range.end_ns;
    if (!within || calls.kind_of(SliceId{i}) != LaunchKind::graph) continue;
    indices.emplace(i, replays.size());
    replays.push_back({SliceId{i}, {}});
  }
  if (replays.empty()) return replays;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    if (!is_gpu_work(slices.kind[i]) || slices.link[i] == kNoSlice) continue;
    const auto found = indices.find(index_of(calls.launch_of(slices.link[i])));
    if (found != indices.end()) replays[found->second].work.push_back(SliceId{i});
  }
  return replays;
}

}  // namespace kino
