#include "core/critical/waiting_calls.hpp"

#include <algorithm>
#include <array>

#include "core/base/parallel.hpp"
#include "core/trace/flow_links.hpp"

namespace kino {
namespace {

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return text.ends_with(end); });
}

/// Returns whether a copy call ends at or after the end of its own copy.
bool outlasts_copy(const Trace& trace, SliceId call, std::int64_t tolerance_ns) {
  const SliceId work = trace.link(call);
  if (work == kNoSlice || trace.kind(work) != SliceKind::copy) return false;
  return trace.end_ns(call) + tolerance_ns >= trace.end_ns(work);
}

}  // namespace

WaitTarget wait_target(std::string_view call) {
  if (ends_with_any(call, {"DeviceSynchronize", "CtxSynchronize", "ThreadSynchronize"}))
    return WaitTarget::device;
  if (call.ends_with("StreamSynchronize")) return WaitTarget::stream;
  if (call.ends_with("EventSynchronize")) return WaitTarget::event;
  constexpr std::array<std::string_view, 11> kMemory{
      "cudaFree",      "cudaFreeHost", "cudaHostAlloc", "cudaMallocHost", "hipFree",       "hipHostFree",
      "hipHostMalloc", "cuMemFree",    "cuMemFree_v2",  "cuMemFreeHost",  "cuMemHostAlloc"};
  if (std::ranges::find(kMemory, call) != kMemory.end()) return WaitTarget::memory;
  const auto has = [&](std::string_view part) { return call.find(part) != std::string_view::npos; };
  if (has("emcpy") || has("emset")) return WaitTarget::copy;
  return WaitTarget::none;
}

std::vector<SliceId> waiting_calls(const Trace& trace, std::int64_t tolerance_ns,
                                   const std::stop_token& stop) {
  std::vector<WaitTarget> targets(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) targets[i] = wait_target(trace.names[i]);
  std::vector<SliceId> calls;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return calls;
    if (trace.slices.kind[i] != SliceKind::runtime) continue;
    const WaitTarget target = targets[index_of(trace.slices.name[i])];
    if (target == WaitTarget::none) continue;
    if (target == WaitTarget::copy && !outlasts_copy(trace, SliceId{i}, tolerance_ns)) continue;
    calls.push_back(SliceId{i});
  }
  return calls;
}

}  // namespace kino
