#include "app/pages/timeline_drawer/timeline_views.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "app/ui/text/texts.hpp"

namespace kino {
namespace {

// Pages of the drawer that are views, too.
constexpr std::array kFullViews{drawer_page::kTables, drawer_page::kFlame, drawer_page::kCompare,
                                drawer_page::kSql};

}  // namespace

std::vector<PageView> timeline_views(const TimelineState& state, const Drawer& pages) {
  const DrawerChoice& drawer = state.drawer;
  const bool shows_summary = drawer.fills() && drawer.page == drawer_page::kSummary;
  std::vector<PageView> views{{{}, tr(Text::view_timeline), std::nullopt, !drawer.fills()},
                              {drawer_page::kSummary, tr(Text::view_summary), std::nullopt, shows_summary}};
  for (PageView& page : pages.views("")) {
    if (std::ranges::find(kFullViews, page.id) == kFullViews.end()) continue;
    page.current = page.current && drawer.fills();
    views.push_back(std::move(page));
  }
  return views;
}

void show_timeline_view(std::string_view id, TimelineState& state) {
  if (id.empty()) return state.drawer.leave_full();
  state.drawer.fill(id);
}

void show_summary(TimelineState& state) { state.drawer.fill(drawer_page::kSummary); }

}  // namespace kino
