// What a step did, in order of time and at three depths: its phases, their operators, and the work of those.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/tables/compare/run_ledger.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Told by what launched the work: the data loader, the optimizer's step, the autograd engine, or else the
/// forward. Waiting for the data loader is of its phase.
enum class StepPhase : std::uint8_t {
  loading,
  forward,
  backward,
  optimizer,
  tail,  ///< what follows the last work
};

/// How deep an outline's nodes lie; those of one depth fill the step.
enum class StepDepth : std::uint8_t { phase, op, work };
inline constexpr std::size_t kStepDepthCount = static_cast<std::size_t>(StepDepth::work) + 1;

/// A stretch of a step: idle time, and the work that it ends with.
struct StepNode {
  std::int64_t begin_ns = 0;  ///< since the step's begin
  std::int64_t end_ns = 0;
  SliceId slice = kNoSlice;  ///< the operator, or the work; kNoSlice: a phase, what follows the last work, or
                             ///< waiting for the data loader
  StepPhase phase = StepPhase::forward;
  std::uint32_t first_child = 0;  ///< of the next depth
  std::uint32_t end_child = 0;

  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

struct StepOutline {
  std::array<std::vector<StepNode>, kStepDepthCount> nodes;

  const std::vector<StepNode>& at(StepDepth depth) const { return nodes[static_cast<std::size_t>(depth)]; }
};

/// Of a window of the trace, by its ledger. What runs on a thread of autograd, and no step, is backward; of
/// what nothing is known goes on with the phase before, and so does less than 3 % of the step between two
/// parts of one phase. The operator of work is the outermost around its launch, but for marks of steps,
/// loaders and optimizers; work without one stands for itself. O(slices + parts in it * depth).
StepOutline step_outline(const Trace& trace, const RunLedger& ledger, TimeRange window,
                         const std::stop_token& stop = {});

}  // namespace kino
