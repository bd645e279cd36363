// The panel on the right of a comparison: the selected row in both runs, or the largest changes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/pages/comparison/comparison_state.hpp"
#include "app/ui/drawer/inspector_frame.hpp"

namespace kino {

/// UI thread only.
class ComparisonInspector {
 public:
  /// Handles the keys of the panel and the drawer, and sets ComparisonState::inspector_px. Call once per
  /// frame, before ComparisonState::place(). `sizes` may be null.
  void handle_keys(ComparisonState& state, Splitters* sizes, bool keyboard, float page_px) {
    frame_.handle_keys(sizes, keyboard, state.drawer);
    state.inspector_px = state.drawer.fills() ? 0 : frame_.width(page_px, state.scale);
  }
  /// Draws the panel. A click on a change selects its row.
  void draw(ComparisonState& state, Splitters* sizes, bool keyboard);
  void write_test_state(const ComparisonState& state, nlohmann::ordered_json& panel) const;

 private:
  InspectorFrame frame_;
};

}  // namespace kino
