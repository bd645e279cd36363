#include "core/trace/links/recorded_kinds.hpp"

#include <cstdint>

#include "core/base/parallel.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/launch_calls.hpp"

namespace kino {

RecordedKinds recorded_kinds(const Trace& trace, const std::stop_token& stop) {
  RecordedKinds found;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    switch (const SliceKind kind = trace.slices.kind[i]) {
      case SliceKind::compute:
      case SliceKind::communication:
      case SliceKind::copy:
        found.gpu_work = true;
        found.kernels = found.kernels || kind != SliceKind::copy;
        found.launches = found.launches || trace.slices.link[i] != kNoSlice;
        break;
      case SliceKind::runtime:
        found.calls = true;
        break;
      case SliceKind::cpu_op:
      case SliceKind::annotation:
        found.operators = true;
        break;
      case SliceKind::python:
        found.python = true;
        break;
      default:
        break;
    }
  }
  if (found.gpu_work && !found.kernels)
    found.kernels = !count_launches(trace, whole_range(trace), stop).kernels_missing();
  return stop.stop_requested() ? RecordedKinds{} : found;
}

}  // namespace kino
