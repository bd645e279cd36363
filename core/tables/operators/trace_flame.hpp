// Flame graphs of a trace: CPU time by stack, or time of GPU work by the launching stack.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/library_frames.hpp"
#include "core/tables/flame_tree.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class FlameTime : std::uint8_t {
  cpu,      ///< self time of slices on CPU threads
  device,   ///< time of kernels, copies and memsets, below the stack of their launch
  sampled,  ///< stacks sampled by a profiler, each weighted by the time to the next sample
};

struct TraceFlameParams {
  TimeRange range;
  FlameTime time = FlameTime::cpu;
  FlameDirection direction = FlameDirection::top_down;
  bool operator==(const TraceFlameParams&) const = default;
};

/// Display name of FlameTime::sampled.
inline constexpr std::string_view kSampledTime = "CPU samples";
/// Returns the kinds of time to choose from: `sampled` only for traces with samples. O(tracks).
std::vector<FlameTime> flame_times(const Trace& trace);

/// Returns the flame graph of the range; weights are in ns. Frames are nested Python functions, operators,
/// annotations and runtime calls; all threads are merged, and so are all steps. Runtime calls, the autograd
/// engine and frames of `libraries` are dimmed. GPU work without a recorded launch is below `no_launch`.
/// O(slices in the range + nodes). Takes 4 bytes per slice of the trace.
FlameGraph trace_flame(const Trace& trace, const TraceFlameParams& question, const LibraryList& libraries,
                       const std::string& no_launch, const std::stop_token& stop = {});

}  // namespace kino
