#include "app/pages/snapshot/snapshot_marks.hpp"

#include <algorithm>
#include <array>

#include "app/pages/snapshot/snapshot_overlay.hpp"

namespace kino {
namespace {

struct SnapshotMark {
  CommandId command{};
  bool (*holds)(const SnapshotState& shown) = nullptr;
};

template <const std::string_view& kPage>
bool shows_page(const SnapshotState& shown) {
  return shown.drawer.shows(kPage);
}

template <PlotLayout kLayout>
bool shows_layout(const SnapshotState& shown) {
  return shown.layout == kLayout;
}

constexpr std::array kMarks = {
    SnapshotMark{CommandId::toggle_drawer, [](const SnapshotState& shown) { return shown.drawer.open; }},
    SnapshotMark{CommandId::toggle_inspector,
                 [](const SnapshotState& shown) { return shown.inspector_px > 0; }},
    SnapshotMark{CommandId::show_flame, shows_page<drawer_page::kFlame>},
    SnapshotMark{CommandId::time_axis,
                 [](const SnapshotState& shown) { return shown.axis().kind() != SnapshotAxisKind::events; }},
    SnapshotMark{CommandId::layout_stacked, shows_layout<PlotLayout::stacked>},
    SnapshotMark{CommandId::layout_stack, shows_layout<PlotLayout::by_stack>},
    SnapshotMark{CommandId::layout_stream, shows_layout<PlotLayout::by_stream>},
    SnapshotMark{CommandId::layout_pool, shows_layout<PlotLayout::by_pool>},
    SnapshotMark{CommandId::layout_segment, shows_layout<PlotLayout::by_segment>},
    SnapshotMark{CommandId::layout_lanes, shows_layout<PlotLayout::lanes>},
    SnapshotMark{CommandId::layout_addresses, shows_layout<PlotLayout::addresses>},
    SnapshotMark{CommandId::only_hits, [](const SnapshotState& shown) { return shown.only_hits; }},
    SnapshotMark{CommandId::compare_moments,
                 [](const SnapshotState& shown) { return shown.baseline != kNoMoment; }},
    SnapshotMark{CommandId::show_categories, shows_page<drawer_page::kCategories>},
    SnapshotMark{CommandId::show_what_if, shows_page<drawer_page::kWhatIf>},
    SnapshotMark{CommandId::show_segments, shows_page<drawer_page::kSegments>},
    SnapshotMark{CommandId::list_live, shows_page<drawer_page::kLive>},
};

}  // namespace

bool has_mark(const SnapshotPanel& panel, CommandId command) {
  if (command == CommandId::overlay_other) return panel.overlay().wanted();
  const auto* const mark = std::ranges::find(kMarks, command, &SnapshotMark::command);
  return mark != kMarks.end() && mark->holds(panel.shown());
}

}  // namespace kino
