#include "app/pages/timeline/timeline_json.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/ui/drawer/state_json.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

Json name_of(const Trace& trace, EventRef event) {
  if (event.slice != kNoSlice) return head_json(trace.name_of(event.slice));
  if (event.instant != kNoInstant) return head_json(trace.name_text(trace.instants.name[event.instant]));
  return {};
}

// Returns the visible lanes with their tops in the window.
Json lanes_of(const TimelineState& shown) {
  std::vector<LaneDraw> lanes;
  shown.layout.visible_lanes(shown.shown_scroll(), shown.boxes.tracks.height(), lanes);
  Json json = Json::array();
  for (const LaneDraw& lane : lanes) {
    const bool slices = lane.kind == LaneDraw::Kind::slices;
    const std::uint32_t track = slices ? index_of(shown.rows().row_at(RowId{lane.index}).track) : lane.index;
    json.push_back({{"row", slices ? Json(lane.index) : Json()},
                    {"track", head_json(shown.rows().track_at(track).name)},
                    {"top", shown.boxes.tracks.top + lane.top_px},
                    {"height", lane.height_px},
                    {"pinned", lane.pinned}});
  }
  return json;
}

// Returns the lanes of annotations above streams: their tops in the window, and their numbers of brackets.
Json brackets_of(const TimelineState& shown) {
  Json json = Json::array();
  shown.layout.visit_visible(
      shown.shown_scroll(), shown.boxes.tracks.height(), [&](const LayoutItem& item, double y) {
        for (std::uint32_t lane = 0; lane < item.brackets; ++lane) {
          const std::vector<SliceId>& slices = shown.annotations->of_stream(item.index)->lanes[lane];
          json.push_back({{"track", head_json(shown.rows().track_at(item.index).name)},
                          {"top", shown.boxes.tracks.top + y + shown.layout.bracket_top(item, lane)},
                          {"count", slices.size()},
                          {"first", head_json(shown.trace->name_of(slices.front()))}});
        }
      });
  return json;
}

const char* text_of(LayoutItem::Kind kind) {
  if (kind == LayoutItem::Kind::group) return "group";
  return kind == LayoutItem::Kind::idle ? "idle" : "track";
}

// Returns the name given by the user, else the name in the file.
std::string header_name(const TimelineState& shown, std::uint32_t track) {
  const std::string& own = shown.arrangement.tracks[track].title;
  return own.empty() ? shown.rows().track_at(track).name.str() : own;
}

Json headers_of(const TimelineState& shown) {
  Json json = Json::array();
  shown.layout.visit_visible(
      shown.shown_scroll(), shown.boxes.headers.height(), [&](const LayoutItem& item, double y) {
        const bool track = item.kind == LayoutItem::Kind::track;
        json.push_back({{"kind", text_of(item.kind)},
                        {"name", head_json(track ? header_name(shown, item.index)
                                                 : shown.trace->processes[item.index].title)},
                        {"count", item.count},
                        {"samples", track ? shown.rows().track_at(item.index).sample_count : 0},
                        {"pinned", item.pinned},
                        {"top", shown.boxes.headers.top + y},
                        {"height", item.height_px}});
      });
  return json;
}

}  // namespace

Json json_of(const TimelineState& shown) {
  const TimeView& time = shown.navigation.view();
  const Box& area = shown.boxes.tracks;
  const SliceId selected = shown.selection.slice;
  const std::optional<TimeRange>& marked = shown.marked.range();
  return {{"from_ns", time.begin_ns},
          {"to_ns", time.end_ns()},
          {"origin_unix_ns", shown.trace->origin_unix_ns},
          {"scroll_px", shown.scroll.position()},
          {"pinned",
           {{"scroll_px", shown.pinned_scroll.position()},
            {"height", shown.layout.pinned_px()},
            {"content", shown.layout.pinned_content_px()}}},
          {"panel_top", shown.boxes.all.top},
          {"area", {area.left, area.top, area.width(), area.height()}},
          {"legend_height", shown.boxes.legend.height()},
          {"drawer", shown.drawer.open},
          {"full", shown.drawer.fills()},
          {"tab", shown.drawer.page},
          {"search", shown.search_open},
          {"idle_band", shown.idle_band},
          {"marked", marked ? Json{marked->begin_ns, marked->end_ns} : Json()},
          {"selection", selected != kNoSlice ? Json(index_of(selected)) : Json()},
          {"selected_name", name_of(*shown.trace, shown.selection)},
          {"hovered_name", name_of(*shown.trace, shown.hovered.event)},
          {"headers", headers_of(shown)},
          {"tracks",
           {{"bar", shown.track_bar_open},
            {"filter", shown.arrangement.filter},
            {"shown", shown.layout.shown_tracks()},
            {"hidden", shown.arrangement.hidden_count()}}},
          {"annotation_rows", shown.arrangement.annotation_rows},
          {"brackets", brackets_of(shown)},
          {"lanes", lanes_of(shown)}};
}

}  // namespace kino
