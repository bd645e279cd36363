#include "core/tables/operators/device_side.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/time_text.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/trace_maker.hpp"

namespace kino {
namespace {

/// Category of GPU work in Intel's unitrace. Unitrace records runtime calls as operators, so operators do not
/// imply that PyTorch recorded the trace.
constexpr std::string_view kUnitraceCategory = "gpu_op";

}  // namespace

bool records_gpu_work(const Trace& trace) {
  return std::ranges::any_of(trace.rows, [&](const Row& row) {
    return trace.track(row.track).kind == TrackKind::gpu_stream &&
           std::ranges::any_of(trace.slices.kind.sub(row.first_slice, row.slice_count), is_gpu_work);
  });
}

bool used_device(const Trace& trace) {
  return has_kind(trace, SliceKind::runtime) || has_kind(trace, SliceKind::gpu_annotation);
}

Message no_device_note(const Trace& trace, const std::stop_token& stop) {
  if (records_gpu_work(trace)) return {};
  const LaunchCounts counts = count_launches(trace, whole_range(trace), stop);
  if (stop.stop_requested()) return {};
  if (counts.gpu_side_missing()) {
    return {msg::no_gpu_work_was_recorded_although, grouped(counts.all.without_work.count)};
  }
  if (has_kind(trace, SliceKind::gpu_annotation)) return msg::no_gpu_work_was_recorded_only;
  return msg::no_gpu_work_columns_empty;
}

bool recorded_by_pytorch(const Trace& trace) {
  return trace.categories.find(kUnitraceCategory) == StringTable::kAbsent &&
         (has_operators(trace) || is_kineto(trace));
}

std::string key_device_word(const Trace& trace) {
  std::string word = device_word(trace);
  if (word != "GPU") return word;
  const auto calls = [&trace](std::string_view category) {
    return trace.categories.find(category) != StringTable::kAbsent;
  };
  if (calls("cuda_runtime") || calls("cuda_driver")) return "CUDA";
  if (calls("xpu_runtime") || calls("xpu_driver")) return "XPU";
  if (calls("musa_runtime") || calls("musa_driver")) return "MUSA";
  return recorded_by_pytorch(trace) || gpu_vendor(trace) == GpuVendor::nvidia ? "CUDA" : word;
}

}  // namespace kino
