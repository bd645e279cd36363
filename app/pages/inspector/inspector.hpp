// The panel on the right of a timeline's tracks: sums of the visible time, or the selected event.
#pragma once

#include <memory>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/inspector/in_view.hpp"
#include "app/pages/timeline_drawer/tables_page.hpp"
#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/details/details_drawer.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/drawer/inspector_frame.hpp"
#include "app/ui/drawer/page.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "core/trace/event_details.hpp"

namespace kino {

/// UI thread only.
class Inspector {
 public:
  /// `tables` must outlive the inspector.
  Inspector(const TimelineHost& host, std::shared_ptr<const EventDetails> details, TablesPage& tables);

  /// Allows the sums of the visible time to be computed. Call once the trace is complete.
  void start() { in_view_.start(); }
  /// Handles the key that shows and hides the panel. Called once per frame, before TimelineState::place().
  /// `sizes` stores the choice; it may be null.
  void handle_keys(Splitters* sizes, bool keyboard);
  /// Called once per frame, after TimelineState::place().
  void update(double delta_seconds);
  /// Draws the panel into its box. `sizes` may be null.
  void draw(Splitters* sizes, const DrawContext& look);
  bool wants_frames() const { return shows_view() && in_view_.wants_frames(); }
  bool complete() const;
  void write_test_state(nlohmann::ordered_json& panel) const;

 private:
  bool visible() const { return state_.inspector_shown && !state_.drawer.fills(); }
  bool shows_view() const { return visible() && !state_.selection.any(); }
  void draw_content(ImVec2 size, const DrawContext& look);

  TimelineState& state_;
  TablesPage& tables_;
  InView in_view_;
  DetailsDrawer details_;
  InspectorFrame frame_;
};

}  // namespace kino
