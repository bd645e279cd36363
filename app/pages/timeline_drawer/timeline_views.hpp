// The views of a trace in the bar above the page: the tracks, or a page of the drawer that covers them.
#pragma once

#include <string_view>
#include <vector>

#include "app/ui/drawer/drawer.hpp"
#include "app/ui/drawer/page_view.hpp"
#include "app/ui/view/timeline_state.hpp"

namespace kino {

/// Returns the views: the tracks, the summary, and the pages of the drawer that are also useful without the
/// tracks.
std::vector<PageView> timeline_views(const TimelineState& state, const Drawer& pages);
/// Shows a view of timeline_views() by its id.
void show_timeline_view(std::string_view id, TimelineState& state);
/// Shows the summary over the tracks.
void show_summary(TimelineState& state);

}  // namespace kino
