#include "app/pages/timeline/timeline_marks.hpp"

#include <algorithm>
#include <array>

namespace kino {
namespace {

struct Mark {
  CommandId command{};
  bool (*holds)(const TimelineState& shown) = nullptr;
};

template <const std::string_view& kPage>
bool shows_page(const TimelineState& shown) {
  return shown.drawer.shows(kPage);
}

template <TrackPreset kPreset>
bool shows_preset(const TimelineState& shown) {
  return shown.arrangement.preset == kPreset;
}

constexpr std::array kMarks = {
    Mark{CommandId::only_matches,
         [](const TimelineState& shown) { return shown.only_matches && shown.search_open; }},
    Mark{CommandId::list_hits, shows_page<drawer_page::kHits>},
    Mark{CommandId::show_tables, shows_page<drawer_page::kTables>},
    Mark{CommandId::toggle_drawer, [](const TimelineState& shown) { return shown.drawer.open; }},
    Mark{CommandId::toggle_inspector, [](const TimelineState& shown) { return shown.inspector_shown; }},
    Mark{CommandId::show_flame, shows_page<drawer_page::kFlame>},
    Mark{CommandId::filter_tracks, [](const TimelineState& shown) { return shown.track_bar_open; }},
    Mark{CommandId::gpu_tracks, shows_preset<TrackPreset::gpu_only>},
    Mark{CommandId::communication_tracks, shows_preset<TrackPreset::communication>},
    Mark{CommandId::main_thread_tracks, shows_preset<TrackPreset::main_thread>},
    Mark{CommandId::pack_streams,
         [](const TimelineState& shown) { return std::ranges::count(shown.arrangement.packed, 1) > 0; }},
    Mark{CommandId::show_counters, [](const TimelineState& shown) { return shown.arrangement.counters; }},
    Mark{CommandId::show_idle, [](const TimelineState& shown) { return shown.idle_band; }},
    Mark{CommandId::annotation_rows,
         [](const TimelineState& shown) { return shown.arrangement.annotation_rows; }},
    Mark{CommandId::fold_layers, [](const TimelineState& shown) { return shown.arrangement.layers_folded; }},
    Mark{CommandId::list_bookmarks, shows_page<drawer_page::kBookmarks>},
};

}  // namespace

bool has_mark(const TimelineState& shown, CommandId command) {
  const auto* const mark = std::ranges::find(kMarks, command, &Mark::command);
  return mark != kMarks.end() && mark->holds(shown);
}

}  // namespace kino
