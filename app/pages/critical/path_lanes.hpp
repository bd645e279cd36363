// The lanes of the page of the critical path: the recorded path, and the path after the settings.
#pragma once

#include <cstdint>
#include <string>

#include <imgui.h>

#include "app/pages/critical/critical_state.hpp"

namespace kino {

/// The time axis of the lanes and of the rows of ranks below them. Its 0 is the start of a window.
struct PathAxis {
  float name = 0;  ///< left end of the names
  float left = 0;
  float right = 1;
  std::int64_t length_ns = 1;

  float x_of(std::int64_t offset_ns) const {
    const double share = static_cast<double>(offset_ns) / static_cast<double>(length_ns);
    return left + static_cast<float>(share) * (right - left);
  }
  /// Returns the time at a position, within the axis.
  std::int64_t offset_ns(float x) const;
};
/// Returns the axis for the recorded path and the path after the settings. Requires CriticalState::has_path().
PathAxis path_axis(const CriticalState& state);

/// Returns the tooltip of a piece: its name, cause, rank, length and start in the window.
std::string piece_hint(const CriticalState& state, const PathPiece& piece, TimeRange window);

/// Draws the lanes by cause on one time axis, with the steps and a legend. A click on a piece shows it in the
/// timeline; for a job, in the trace of its rank. Requires CriticalState::has_path(). O(width + log pieces).
void draw_path_lanes(ImDrawList& list, CriticalState& state);

}  // namespace kino
