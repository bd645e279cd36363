#include "core/tables/gpu/cpu_collectives.hpp"

#include <cstdint>

#include "core/base/parallel.hpp"

namespace kino {

bool is_cpu_collective(std::string_view name) {
  return name.starts_with("gloo:") || name.starts_with("mpi:");
}

std::vector<SliceId> cpu_collectives(const Trace& trace, const std::stop_token& stop) {
  std::vector<std::uint8_t> matches(trace.names.size());
  bool any = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    matches[i] = is_cpu_collective(trace.names[i]) ? 1 : 0;
    any = any || matches[i] != 0;
  }
  std::vector<SliceId> found;
  if (!any) return found;
  const SliceColumns& slices = trace.slices;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    const SliceKind kind = slices.kind[i];
    if (matches[index_of(slices.name[i])] == 0 ||
        (kind != SliceKind::annotation && kind != SliceKind::cpu_op))
      continue;
    const SliceId parent = slices.parent[i];
    if (parent == kNoSlice || matches[index_of(trace.name(parent))] == 0) found.push_back(SliceId{i});
  }
  return found;
}

}  // namespace kino
