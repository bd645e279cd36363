// What each training step's time went into: every moment belongs to the first role that is active in it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/steps.hpp"
#include "core/table.hpp"
#include "core/trace.hpp"

namespace kino {

/// In order of precedence. The TensorBoard plugin's roles (ANALYSES 3.2), except that communication is what
/// its kernels' names say, that launches of the driver are runtime too, and that annotations on the GPU are
/// no work of the CPU.
enum class StepRole : std::uint8_t {
  compute,
  communication,  ///< exposed: while nothing computes
  memcpy,
  memset,
  runtime,       ///< calls of the runtime and the driver
  data_loading,  ///< enumerate(DataLoader), enumerate(DataPipe)
  cpu,           ///< other operators and annotations; Python frames lie around everything and tell nothing
  idle,          ///< nothing of these
};
inline constexpr std::size_t kStepRoleCount = static_cast<std::size_t>(StepRole::idle) + 1;
std::string_view text_of(StepRole role);

/// The parts add up to the window's length, in ns.
struct TimeSplit {
  TimeRange window;
  std::array<std::int64_t, kStepRoleCount> role_ns{};
  std::int64_t hidden_communication_ns = 0;  ///< under compute; a part of that one
  std::int64_t operator[](StepRole role) const { return role_ns[static_cast<std::size_t>(role)]; }
};

/// Windows are disjoint and in order. O(slices), then O(outermost slices + runtime calls + GPU work).
std::vector<TimeSplit> split_time(const Trace& trace, std::span<const TimeRange> windows,
                                  const std::stop_token& stop = {});

struct SplitStep {
  std::string name;            ///< the step's number, or "0" for a trace without steps
  SliceId slice = kNoSlice;    ///< the annotation on the CPU
  TimeSplit split;             ///< of the step, extended to what it launched
  std::uint64_t gpu_work = 0;  ///< kernels, copies and memsets it launched
  bool complete = true;        ///< false for last steps whose GPU work was not (all) recorded
};

/// As the plugin does, a step goes on until its last GPU work ends, and the next one begins there; the first
/// begins when GPU work launched before it has ended. A trace without steps is one: from the first operator
/// to the last, or all of its GPU work. The plugin leaves incomplete steps out; here they are marked.
std::vector<SplitStep> step_rows(const Trace& trace, const Steps& steps, const std::stop_token& stop = {});

/// `steps`: a row a step.
Table step_table(const std::vector<SplitStep>& rows);

}  // namespace kino
