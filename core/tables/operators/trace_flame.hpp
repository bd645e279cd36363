// Flame graphs of a trace: time on the CPU by stack, or time of GPU work by the stack that launched it.
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
  cpu,      ///< of slices of CPU threads, each without what lies in it
  device,   ///< of kernels, copies and memsets, below the stack of their launch
  sampled,  ///< of stacks that a profiler sampled on CPUs, each for the time to the next sample
};

struct TraceFlameQuestion {
  TimeRange range;
  FlameTime time = FlameTime::cpu;
  FlameDirection direction = FlameDirection::top_down;
  bool operator==(const TraceFlameQuestion&) const = default;
};

/// What FlameTime::sampled is called.
inline constexpr std::string_view kSampledTime = "CPU samples";
/// Those that have something to show: `sampled` is of traces with samples alone. O(tracks).
std::vector<FlameTime> flame_times(const Trace& trace);

/// In ns within the range. Frames are Python functions, operators, annotations and runtime calls as they lie
/// in each other; threads together, all steps as one. Frames of `libraries` are dimmed. GPU work whose launch is not in the trace stands below
/// `no_launch`. O(slices in the range, and nodes). Incomplete when stopped.
FlameGraph trace_flame(const Trace& trace, const TraceFlameQuestion& question, const LibraryList& libraries,
                       const std::string& no_launch, const std::stop_token& stop = {});

}  // namespace kino
