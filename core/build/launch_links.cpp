#include "core/build/launch_links.hpp"

#include <cstddef>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/build/launch_table.hpp"

namespace kino {

std::vector<SliceId> link_launches(std::span<const SliceFindings> findings, Trace& trace,
                                   const std::stop_token& stop) {
  std::size_t count = 0;
  for (const SliceFindings& found : findings) count += found.launches.size();
  LaunchTable launches(count);
  for (const SliceFindings& found : findings) {
    for (const Correlated& launch : found.launches) launches.add(launch);
  }
  SliceColumns& slices = trace.slices;
  std::vector<SliceId> shared_work;
  std::size_t visited = 0;
  for (const SliceFindings& found : findings) {
    for (const Correlated& work : found.gpu_work) {
      if (++visited % kCancelStride == 0 && stop.stop_requested()) return shared_work;
      const SliceId launch = launches.find(work.correlation);
      if (launch == kNoSlice) continue;
      const auto gpu = index_of(work.slice);
      slices.link[gpu] = launch;
      SliceId& first = slices.link[index_of(launch)];
      if (first == kNoSlice) {
        ++trace.launches_linked;
      } else {
        shared_work.insert(shared_work.end(), {first, work.slice});
      }
      if (first == kNoSlice || std::pair(slices.start_ns[gpu], gpu) <
                                   std::pair(slices.start_ns[index_of(first)], index_of(first))) {
        first = work.slice;
      }
    }
  }
  return shared_work;
}

}  // namespace kino
