#include "app/timeline/timeline_marks.hpp"

#include <algorithm>
#include <array>

namespace kino {
namespace {

struct Mark {
  CommandId command{};
  bool (*holds)(const TimelineState& shown) = nullptr;
};

template <DrawerTab kTab>
bool shows_tab(const TimelineState& shown) {
  return shown.drawer_open && shown.drawer_tab == kTab;
}

template <TrackPreset kPreset>
bool shows_preset(const TimelineState& shown) {
  return shown.arrangement.preset == kPreset;
}

constexpr std::array kMarks = {
    Mark{CommandId::only_matches,
         [](const TimelineState& shown) { return shown.only_matches && shown.search_open; }},
    Mark{CommandId::list_hits, shows_tab<DrawerTab::hits>},
    Mark{CommandId::show_tables, shows_tab<DrawerTab::tables>},
    Mark{CommandId::toggle_drawer, [](const TimelineState& shown) { return shown.drawer_open; }},
    Mark{CommandId::show_flame, shows_tab<DrawerTab::flame>},
    Mark{CommandId::filter_tracks, [](const TimelineState& shown) { return shown.track_bar_open; }},
    Mark{CommandId::gpu_tracks, shows_preset<TrackPreset::gpu_only>},
    Mark{CommandId::communication_tracks, shows_preset<TrackPreset::communication>},
    Mark{CommandId::main_thread_tracks, shows_preset<TrackPreset::main_thread>},
    Mark{CommandId::pack_streams,
         [](const TimelineState& shown) { return std::ranges::count(shown.arrangement.packed, 1) > 0; }},
    Mark{CommandId::show_counters, [](const TimelineState& shown) { return shown.arrangement.counters; }},
    Mark{CommandId::show_idle, [](const TimelineState& shown) { return shown.idle_band; }},
    Mark{CommandId::list_bookmarks, shows_tab<DrawerTab::bookmarks>},
};

}  // namespace

bool has_mark(const TimelineState& shown, CommandId command) {
  const auto* const mark = std::ranges::find(kMarks, command, &Mark::command);
  return mark != kMarks.end() && mark->holds(shown);
}

}  // namespace kino
