// Iterations of an inference engine for the row below the ruler, in place of training steps.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/serving/iterations.hpp"
#include "core/trace/steps.hpp"

namespace kino {

/// An iteration as the row and its tooltip show it.
struct RulerIteration {
  IterationPhase phase = IterationPhase::unknown;
  bool guessed = false;  ///< whether the phase is a guess from kernel names
  std::optional<std::int64_t> requests;
  std::optional<std::int64_t> tokens;
  Message left_out;  ///< why statistics leave it out; empty if they do not
};

/// Intervals of the row below the ruler: the training steps or, without any, iterations.
struct RulerSteps {
  /// Windows of iterations count as steps: `number` is the number in the recording, and `slice` the mark or,
  /// without one, the first kernel. Neither an outlier nor the median is determined.
  Steps steps;
  std::vector<RulerIteration> iterations;  ///< one per step; empty for training steps

  bool training() const { return iterations.empty(); }
};

/// Returns the iterations that have a window.
RulerSteps ruler_iterations(const Trace& trace, const Iterations& found);
/// Finds the steps of a trace or, without any, its iterations. O(slices).
RulerSteps find_ruler_steps(const Trace& trace, const std::stop_token& stop);

/// Returns the color of a phase. Colors of different phases are distinguishable with any color vision.
std::uint32_t phase_color(IterationPhase phase, const Theme& theme);
/// Returns the label of an interval: "12 decode", or "12" without a phase. UI thread only.
std::string iteration_label(std::int64_t number, const RulerIteration& iteration);
/// Returns the lines of the tooltip below the title: phase, requests and tokens as far as they are known, and
/// the length of the window. UI thread only.
std::vector<std::string> iteration_lines(const RulerIteration& iteration, std::int64_t window_ns);

}  // namespace kino
