// Outline of a step in order of time, at three depths: phases, operators, work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/compare/time_attribution.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Phase of a step, determined by the code that launches the work: the data loader, the optimizer's step or
/// the autograd engine. All other work is the forward pass. `loading` includes waits for the data loader.
enum class StepPhase : std::uint8_t {
  loading,
  forward,
  backward,
  optimizer,
  tail,  ///< time after the last work
};

/// Depth of an outline's nodes. If the step has work, the nodes of each depth fill it.
enum class StepDepth : std::uint8_t { phase, op, work };
inline constexpr std::size_t kStepDepthCount = static_cast<std::size_t>(StepDepth::work) + 1;

/// Interval of a step: a piece of work, or the work of an operator or phase, and the idle time before it.
struct StepNode {
  std::int64_t begin_ns = 0;  ///< since the start of the step
  std::int64_t end_ns = 0;
  SliceId slice = kNoSlice;  ///< the operator or the work; kNoSlice for phases, the tail and waits for the
                             ///< data loader
  StepPhase phase = StepPhase::forward;
  std::uint32_t first_child = 0;  ///< index into the next depth
  std::uint32_t end_child = 0;

  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

struct StepOutline {
  std::array<std::vector<StepNode>, kStepDepthCount> nodes;

  const std::vector<StepNode>& at(StepDepth depth) const { return nodes[static_cast<std::size_t>(depth)]; }
};

/// Returns the outline of a window of the trace. If the trace has steps, work launched on a thread that has
/// autograd events but no step marks is backward. Work without a recorded operator or phase around its launch
/// continues the phase before it. An interval of less than 3 % of the step between two parts of one phase
/// belongs to that phase. The operator of work is the outermost operator around its launch, except marks of
/// steps, loaders and optimizers. Work without an operator is its own operator. O(slices + parts in the
/// window * depth).
StepOutline step_outline(const Trace& trace, const TimeAttribution& ledger, TimeRange window,
                         const std::stop_token& stop = {});

}  // namespace kino
