// Lines over the tracks that show the distances between the selected slice and a place.
#pragma once

#include <optional>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/pages/timeline/pointing/slice_distances.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Remembers the place until the selection changes. UI thread only.
class DistanceLines {
 public:
  /// Measures from the selected slice to `place`.
  void measure(const TimelineState& state, const MeasuredPlace& place);
  /// Draws three lines with their durations below the two places: gap or overlap, starts, ends.
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme);
  /// Returns the distances in ns; null while nothing is measured.
  nlohmann::ordered_json test_state(const Trace& trace) const;

 private:
  SliceId from_ = kNoSlice;
  std::optional<MeasuredPlace> to_;
};

}  // namespace kino
