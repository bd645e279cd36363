#include "app/shell/state_file.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/memory_plot/allocation_texts.hpp"
#include "app/memory_plot/band_labels.hpp"
#include "app/memory_plot/treemap_view.hpp"
#include "app/search/hits_table.hpp"
#include "app/search/search_bar.hpp"
#include "app/search/search_hits.hpp"
#include "app/shell/document_bar.hpp"
#include "app/snapshot/category_sheet.hpp"
#include "app/snapshot/live_flame.hpp"
#include "app/snapshot/live_table.hpp"
#include "app/snapshot/oom_panel.hpp"
#include "app/snapshot/segment_view.hpp"
#include "app/snapshot/snapshot_finder.hpp"
#include "app/snapshot/snapshot_overlay.hpp"
#include "app/snapshot/snapshot_tables.hpp"
#include "app/tables/range_table.hpp"
#include "app/tables/stack_flame.hpp"
#include "app/tables/table_panel.hpp"
#include "app/text/table_text.hpp"
#include "app/text/texts.hpp"
#include "app/timeline/compare_tab.hpp"
#include "app/timeline/range_track_bar.hpp"
#include "app/view/slice_look.hpp"
#include "app/view/timeline_state.hpp"
#include "app/widgets/box.hpp"
#include "core/base/byte_text.hpp"
#include "core/job/clock_fit.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

const char* text_of(Document::State state) {
  switch (state) {
    case Document::State::loading:
      return "loading";
    case Document::State::ready:
      return "ready";
    case Document::State::failed:
      return "failed";
  }
  return "failed";
}

Json json_of(const Document& document) {
  Json json = {{"file", document.path().string()}, {"state", text_of(document.state())}, {"error", Json()}};
  if (document.state() == Document::State::failed) json["error"] = document.error().what;
  json["notice"] = notice_text(document);
  json["loading"] = document.loading();
  if (!document.shows_timeline()) return json;
  json["shown_share"] = document.shown_share();
  std::uint64_t damaged = 0;
  for (const Damage& damage : document.opened().trace->damage.entries()) damaged += damage.count;
  json["slices"] = document.opened().trace->slice_count();
  json["from_cache"] = document.opened().from_cache;
  json["damage"] = damaged;
  return json;
}

// Null while the sheet is closed.
Json trust_json(const Ui& ui) {
  if (!ui.trust_open()) return {};
  Json links = Json::array();
  for (const ImVec2& link : ui.trust_links()) links.push_back({{"x", link.x}, {"y", link.y}});
  return {{"links", links}};
}

/// A text of the file, which may have megabytes.
Json head_of_text(std::string_view text) {
  constexpr std::size_t kMostBytes = 4096;
  return head_of(text, kMostBytes);
}

Json name_of(const Trace& trace, EventRef event) {
  if (event.slice != kNoSlice) return head_of_text(trace.name_of(event.slice));
  if (event.instant != kNoInstant)
    return head_of_text(trace.names[index_of(trace.instants.name[event.instant])]);
  return {};
}

// The lanes in sight, with their tops in the window.
Json lanes_of(const TimelineState& shown) {
  std::vector<LaneDraw> lanes;
  shown.layout.visible_lanes(shown.shown_scroll(), shown.boxes.tracks.height(), lanes);
  Json json = Json::array();
  for (const LaneDraw& lane : lanes) {
    const bool slices = lane.kind == LaneDraw::Kind::slices;
    const std::uint32_t track = slices ? index_of(shown.rows().row_at(RowId{lane.index}).track) : lane.index;
    json.push_back({{"row", slices ? Json(lane.index) : Json()},
                    {"track", head_of_text(shown.rows().track_at(track).name)},
                    {"top", shown.boxes.tracks.top + lane.top_px},
                    {"height", lane.height_px},
                    {"pinned", lane.pinned}});
  }
  return json;
}

const char* text_of(LayoutItem::Kind kind) {
  if (kind == LayoutItem::Kind::group) return "group";
  return kind == LayoutItem::Kind::idle ? "idle" : "track";
}

// The headers in sight, with their tops in the window.
/// As the file has it, unless a person has given it another.
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
                        {"name", head_of_text(track ? header_name(shown, item.index)
                                                    : shown.trace->processes[item.index].title)},
                        {"count", item.count},
                        {"samples", track ? shown.rows().track_at(item.index).sample_count : 0},
                        {"pinned", item.pinned},
                        {"top", shown.boxes.headers.top + y},
                        {"height", item.height_px}});
      });
  return json;
}

const char* text_of(SliceMatch match) {
  switch (match) {
    case SliceMatch::none:
      return "none";
    case SliceMatch::exact:
      return "exact";
    case SliceMatch::nearest:
      return "nearest";
    case SliceMatch::lost:
      return "lost";
  }
  return "none";
}

Json json_of(const Bookmarks& bookmarks) {
  Json list = Json::array();
  for (const PlacedBookmark& placed : bookmarks.all()) {
    list.push_back({{"number", placed.mark.number},
                    {"text", placed.mark.text},
                    {"color", placed.mark.color},
                    {"begin_ns", placed.range.begin_ns},
                    {"end_ns", placed.range.end_ns},
                    {"slice", placed.mark.slice ? Json(placed.mark.slice->name) : Json()},
                    {"match", text_of(placed.found.match)},
                    {"inside", placed.inside}});
  }
  return list;
}

const char* text_of(DrawerTab tab) {
  switch (tab) {
    case DrawerTab::selection:
      return "selection";
    case DrawerTab::range:
      return "range";
    case DrawerTab::compare:
      return "compare";
    case DrawerTab::tables:
      return "tables";
    case DrawerTab::flame:
      return "flame";
    case DrawerTab::steps:
      return "steps";
    case DrawerTab::hits:
      return "hits";
    case DrawerTab::bookmarks:
      return "bookmarks";
  }
  return "selection";
}

Json search_json(const TimelinePanel& panel) {
  const SearchHits& hits = panel.hits();
  const TimelineState& shown = panel.shown();
  const std::span<const SliceId> rows = panel.hits_table().rows();
  const SearchAnswer* answer = hits.answer();
  const bool found = answer != nullptr && answer->query;
  const auto place = hits.place_of(shown.selection.slice);
  Json offered = Json::array();
  for (const SearchCompletion& one : panel.search().offered().list) offered.push_back(one.text);
  return {{"open", shown.search_open},
          {"query", hits.query()},
          {"typing", panel.search().typing()},
          {"only_matches", shown.only_matches},
          {"offered", std::move(offered)},
          {"hits", found ? Json(answer->total) : Json()},
          {"error", answer != nullptr ? Json(answer->error) : Json()},
          {"error_at", answer != nullptr && answer->error_at ? Json(*answer->error_at) : Json()},
          {"current", place ? Json(*place) : Json()},
          {"first_row", rows.empty() ? Json() : head_of_text(shown.trace->name_of(rows.front()))},
          {"list", shown.drawer_open && shown.drawer_tab == DrawerTab::hits}};
}

const char* text_of(TableScope scope) {
  if (scope == TableScope::range) return "range";
  return scope == TableScope::step ? "step" : "whole";
}

Json place_of(ImVec2 place) { return {place.x, place.y}; }

Json places_of(const std::vector<std::pair<std::string, ImVec2>>& places) {
  Json json = Json::object();
  for (const auto& [name, place] : places) json[name] = place_of(place);
  return json;
}

/// What the tabs of tables share.
Json table_tab_json(const TableTab& tab) {
  const TableGrid::Places& places = tab.grid().places();
  Json order = Json::array();
  Json names = Json::array();
  Json depths = Json::array();
  std::size_t count = 0;
  std::string problem;
  std::string notes;
  if (const TableResults::Rows* rows = tab.rows()) {
    constexpr std::size_t kNamed = 20;
    const Table& table = rows->answer->table;
    count = rows->order.size();
    problem = rows->answer->problem;
    for (const TableOrder& by : tab.grid().order()) {
      if (by.column < table.columns.size())
        order.push_back(table.columns[by.column].key + (by.descending ? ":desc" : ":asc"));
    }
    for (std::size_t i = 0; i < std::min(kNamed, count); ++i)
      names.push_back(cell_text(table.columns.front(), rows->order[i]));
    depths = table.depths;
    for (const std::string& note : table.notes) notes += (notes.empty() ? "" : " ") + note;
  }
  return {{"kind", tab.kind().name},
          {"group", tab.group_name()},
          {"filter", tab.filter()},
          {"rows", count},
          {"problem", problem},
          {"notes", head_of_text(notes)},
          {"names", names},
          {"order", order},
          {"selected", tab.selected()},
          {"message", tab.message()},
          {"headers", places_of(places.headers)},
          {"filters", places_of(places.filters)},
          {"cell_items", places_of(places.cell_items)},
          {"depths", depths},
          {"controls", places_of(tab.controls())},
          {"first_row", place_of(places.first_row)},
          {"row_height", places.row_height},
          {"kinds", places_of(tab.list().places())}};
}

/// The first rows of the table that compares, whole.
Json compare_json(const TimelinePanel& panel) {
  const CompareTab& compare = panel.compare();
  Json json = table_tab_json(compare.tab());
  Json parts = Json::array();
  for (const KeptPart& kept : panel.shown().kept.all()) {
    parts.push_back({{"letter", std::string(1, kept.letter)},
                     {"name", kept.name},
                     {"range", {kept.part.range.begin_ns, kept.part.range.end_ns}},
                     {"slice", kept.part.slice != kNoSlice ? Json(index_of(kept.part.slice)) : Json()},
                     {"tracks", kept.part.tracks ? Json(kept.part.tracks->tracks) : Json()},
                     {"compared", kept.compared}});
  }
  json["parts"] = parts;
  json["places"] = places_of(compare.places());
  Json rows = Json::array();
  if (const TableResults::Rows* shown = compare.tab().rows()) {
    constexpr std::size_t kMostRows = 20;
    const Table& table = shown->answer->table;
    for (std::size_t i = 0; i < std::min(kMostRows, shown->order.size()); ++i) {
      Json row = Json::object();
      for (const TableColumn& column : table.columns)
        row[column.key] = head_of_text(cell_text(column, shown->order[i]));
      rows.push_back(std::move(row));
    }
  }
  json["cells"] = rows;
  return json;
}

/// Sums by name, where there are few.
Json range_json(const TimelinePanel& panel) {
  constexpr std::size_t kMostNames = 200;
  const RangeSummary* summary = panel.range_table().summary();
  Json names = Json::object();
  if (summary != nullptr && summary->names.size() <= kMostNames) {
    const Trace& trace = *panel.shown().trace;
    for (const NameStats& row : summary->names)
      names[head_of(trace.names[index_of(row.name)], 200)] = row.stats.total_ns;
  }
  const auto& tracks = panel.shown().marked.tracks();
  return {{"names", names},
          {"tracks", tracks ? Json(tracks->size()) : Json()},
          {"places", places_of(panel.range_bar().places())}};
}

Json tables_json(const TablePanel& tables) {
  Json json = table_tab_json(tables.tab());
  json["scope"] = text_of(tables.scope());
  Json links = Json::array();
  for (const ImVec2& link : tables.summary().links()) links.push_back(place_of(link));
  json["links"] = links;
  const RowInstances* found = tables.instances().shown();
  json["instances"] = found != nullptr ? found->slices.size() : 0;
  json["instance_places"] = places_of(tables.instances().places());
  return json;
}

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
          {"drawer", shown.drawer_open},
          {"tab", text_of(shown.drawer_tab)},
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
          {"lanes", lanes_of(shown)}};
}

const char* text_of(SnapshotTab tab) {
  switch (tab) {
    case SnapshotTab::selection:
      return "selection";
    case SnapshotTab::live:
      return "live";
    case SnapshotTab::flame:
      return "flame";
    case SnapshotTab::tables:
      return "tables";
    case SnapshotTab::categories:
      return "categories";
    case SnapshotTab::segments:
      return "segments";
    case SnapshotTab::oom:
      return "oom";
    case SnapshotTab::trust:
      return "trust";
  }
  return "selection";
}

Json allocation_json(const SnapshotState& shown, AllocationId id) {
  if (id == kNoAllocation) return {};
  const Allocations& of = shown.history().allocations;
  const auto i = static_cast<std::size_t>(id);
  return {{"address", address_text(of.addr[i])},
          {"size", of.size[i]},
          {"place", place_text(*shown.snapshot, of, id)}};
}

Json flame_json(const FlameView& view) {
  const FlameGraph* graph = view.graph();
  if (graph == nullptr) return {};
  const auto name = [&](std::optional<std::uint32_t> node) {
    return node ? Json(view.name_of_node(*node)) : Json();
  };
  Json boxes = Json::array();
  for (const FlameView::Place& place : view.places()) {
    boxes.push_back({place.name, place.middle.x, place.middle.y, place.width});
  }
  return {{"bottom_up", graph->tree.direction == FlameDirection::bottom_up},
          {"total", graph->tree.nodes[0].total},
          {"frames", graph->tree.nodes.size() - 1},
          {"focus", view.name_of_node(view.focus())},
          {"current", name(view.current())},
          {"hovered", name(view.hovered())},
          {"matched", view.matched() ? Json(*view.matched()) : Json()},
          {"message", view.message()},
          {"boxes", boxes}};
}

Json flame_json(const LiveFlame& flame) {
  Json json = flame_json(flame.view());
  if (!flame.shown() || json.is_null()) return {};
  json["event"] = flame.shown()->event;
  json["libraries"] = flame.shown()->libraries;
  return json;
}

Json flame_json(const StackFlame& flame) {
  Json json = flame_json(flame.view());
  if (!flame.shown() || json.is_null()) return {};
  json["time"] = flame.shown()->time == FlameTime::device ? "device" : "cpu";
  json["range_ns"] = flame.shown()->range.length_ns();
  return json;
}

Json finder_json(const SnapshotFinder& finder) {
  const SnapshotAnswer* found = finder.newest();
  if (!finder.is_open() || found == nullptr) return {{"open", finder.is_open()}};
  return {{"open", true},
          {"query", found->query},
          {"problem", found->problem},
          {"allocations", found->hits.allocations.size()},
          {"events", found->hits.events.size()},
          {"bytes", found->hits.bytes}};
}

Json categories_json(const CategorySheet& sheet) {
  Json list = Json::object();
  if (sheet.sums() == nullptr) return list;
  for (const CategorySheet::Sum& sum : *sheet.sums()) list[sum.name] = sum.bytes;
  return list;
}

Json segments_json(const SegmentView& view, const SnapshotState& shown) {
  const SegmentAnswer* answer = view.answer();
  if (answer == nullptr) return {};
  const Fragmentation& memory = answer->memory;
  const auto place = view.selected_place();
  return {{"event", answer->question.event},
          {"segments", answer->layout.segments.size()},
          {"reserved", memory.reserved},
          {"allocated", memory.allocated},
          {"pending", memory.pending},
          {"free", memory.free},
          {"rows", answer->map.rows()},
          {"groups", answer->map.groups.size()},
          {"hovered", view.hovered() ? Json(*view.hovered()) : Json()},
          {"selected_at", place ? Json({place->x, place->y}) : Json()},
          {"event_card", view.events().hovered() ? Json(*view.events().hovered()) : Json()},
          {"listed", view.events().listed(shown)}};
}

const char* text_of(SnapshotAxisKind kind) {
  constexpr std::array kNames = {"events", "time", "steps"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json steps_json(const SnapshotState& shown) {
  if (shown.steps() == nullptr) return {};
  return {{"count", shown.steps()->ends.size()},
          {"region", shown.steps()->region},
          {"units", shown.axis().units_per_step()}};
}

Json layout_json(const SnapshotState& shown) {
  Json strips = Json::array();
  if (shown.bands != nullptr) {
    for (const BandStrip& strip : shown.bands->strips) {
      strips.push_back({{"name", strip_name(shown, strip)},
                        {"bytes", strip.bytes},
                        {"begin", strip.begin},
                        {"height", strip.height}});
    }
  }
  return {{"wanted", text_of(shown.layout)},
          {"shown", text_of(shown.bands == nullptr ? PlotLayout::stacked : shown.bands->kind)},
          {"strips", strips}};
}

Json treemap_json(const SnapshotPanel& panel) {
  const SnapshotState& shown = panel.shown();
  const TreemapAnswer* answer = shown.only_segments() ? panel.treemap().answer(shown) : nullptr;
  if (answer == nullptr) return {};
  const Box area = TreemapView::area_of(shown);
  const float top = shown.boxes.ruler.bottom;
  Json boxes = Json::array();
  for (const TreemapBox& box : answer->map.blocks) {
    if (boxes.size() == 20) break;
    boxes.push_back({{"at", {area.left + (box.left + box.right) / 2, top + (box.top + box.bottom) / 2}},
                     {"bytes", box.bytes},
                     {"used", box.used},
                     {"count", box.count}});
  }
  return {{"segments", answer->map.segments.size()}, {"blocks", answer->map.blocks.size()}, {"first", boxes}};
}

Json advice_json(const OomPanel& panel) {
  Json advice = Json::array();
  if (panel.autopsies() == nullptr) return advice;
  for (std::size_t i = 0; i < std::min(panel.autopsies()->size(), panel.copy_places().size()); ++i) {
    const OomAutopsy& autopsy = (*panel.autopsies())[i];
    const std::optional<ImVec2>& at = panel.copy_places()[i];
    advice.push_back({{"line", autopsy.setting && at ? Json(autopsy.setting->line) : Json()},
                      {"copy_at", at ? Json({at->x, at->y}) : Json()}});
  }
  return advice;
}

Json labels_json(const SnapshotPanel& panel) {
  Json labels = Json::array();
  for (const PlotLabel& label : panel.labels()) {
    const Box& box = label.box;
    labels.push_back({{"words", label.words}, {"box", {box.left, box.top, box.right, box.bottom}}});
  }
  return labels;
}

Json overlay_json(const SnapshotOverlay& overlay, const SnapshotState& shown) {
  if (!overlay.wanted()) return {};
  const OverlayCurves* curves = overlay.curves(shown);
  Json highest;
  if (curves != nullptr) highest = std::ranges::max(curves->active, {}, &CurveExtent::highest).highest;
  return {{"of", overlay.title()}, {"highest", highest}, {"problem", overlay.problem(shown)}};
}

Json snapshot_json(const SnapshotPanel& panel) {
  const SnapshotState& shown = panel.shown();
  if (!shown.any()) return {{"devices", 0}};
  const TimeView& view = shown.navigation.view();
  const Box& plot = shown.boxes.plot;
  const CurvePeak& peak = shown.peak();
  const LiveRows* live = panel.live();
  Json rows;
  if (live != nullptr) {
    rows = {{"count", live->count},
            {"bytes", live->bytes},
            {"event", live->question.event},
            {"rows", live->rows.size()},
            {"by_size", live->question.by_size},
            {"first_bytes", live->rows.empty() ? Json() : Json(live->rows.front().bytes)},
            {"first_growth", live->rows.empty() ? Json() : Json(live->rows.front().growth())}};
  }
  return {
      {"devices", shown.snapshot->devices.size()},
      {"device", shown.device_index()},
      {"axis", text_of(shown.axis().kind())},
      {"steps", steps_json(shown)},
      {"from", view.begin_ns},
      {"to", view.end_ns()},
      {"units_per_event", SnapshotAxis::kUnitsPerEvent},
      {"bytes", {shown.bytes.low(), shown.bytes.high()}},
      {"area", {plot.left, plot.top, plot.width(), plot.height()}},
      {"peak", {{"event", peak.event}, {"bytes", peak.bytes}}},
      {"cursor", shown.cursor},
      {"baseline", shown.baseline == kNoMoment ? Json() : Json(shown.baseline)},
      {"selected", allocation_json(shown, shown.selected)},
      {"hovered", allocation_json(shown, shown.hovered)},
      {"drawer", shown.drawer_open},
      {"tab", text_of(shown.drawer_tab)},
      {"drawer_area",
       {shown.boxes.drawer.left, shown.boxes.drawer.top, shown.boxes.drawer.width(),
        shown.boxes.drawer.height()}},
      {"ooms", panel.oom_count()},
      {"labels", labels_json(panel)},
      {"treemap", treemap_json(panel)},
      {"autopsies", panel.ooms().autopsies() != nullptr ? Json(panel.ooms().autopsies()->size()) : Json()},
      {"advice", advice_json(panel.ooms())},
      {"live", rows},
      {"tables", table_tab_json(panel.tables().tab())},
      {"compared_with", panel.tables().compare().title()},
      {"overlay", overlay_json(panel.overlay(), shown)},
      {"find", finder_json(panel.finder())},
      {"layout", layout_json(shown)},
      {"filtered", shown.filtered() ? Json(shown.bands->among_count) : Json()},
      {"run",
       {{"file", panel.run().run().file},
        {"rows", shown.run_rows},
        {"at_cursor", shown.run_text ? shown.run_text(shown.cursor) : ""},
        {"at_peak", shown.run_text ? shown.run_text(peak.event) : ""},
        {"lane",
         {shown.boxes.run.left, shown.boxes.run.top, shown.boxes.run.width(), shown.boxes.run.height()}}}},
      {"of_trace", shown.snapshot->source == SnapshotSource::trace},
      {"coloring", text_of(panel.coloring())},
      {"picture", panel.picture_message()},
      {"categories", categories_json(panel.categories())},
      {"flame", flame_json(panel.flame())},
      {"segments", segments_json(panel.segments(), shown)}};
}

const char* text_of(SplitMode mode) {
  switch (mode) {
    case SplitMode::one:
      return "one";
    case SplitMode::stacked:
      return "stacked";
    case SplitMode::side_by_side:
      return "side by side";
  }
  return "one";
}

const char* text_of(const TimeLink& link) {
  if (!link.fit) return "none";
  return link.by_clock() ? "clock" : "edges";
}

Json json_of(const ClockFit& fit) {
  return {{"offset_ns", fit.offset_ns},
          {"drift_ppb", fit.drift_ppb},
          {"around_ns", fit.around_ns},
          {"uncertainty_ns", fit.uncertainty_ns}};
}

Json json_of(const SplitPanes& panes, const Session& session) {
  Json list = Json::array();
  for (const Document* document : panes.shown(session)) {
    const bool ready = document->state() == Document::State::ready && document->shows_timeline();
    Json view = ready ? json_of(document->panel().shown()) : Json();
    const bool snapshot = document->state() == Document::State::ready && document->shows_snapshot();
    const auto times = document->time_pane();
    list.push_back({{"file", document->path().string()},
                    {"active", document == session.active_document()},
                    {"origin_unix_ns", times ? Json(times->clock.origin_unix_ns) : Json()},
                    {"shows_time", times && times->shows_time},
                    {"view", std::move(view)},
                    {"snapshot", snapshot ? snapshot_json(document->snapshot_panel()) : Json()}});
  }
  return {{"mode", text_of(panes.view().mode())},
          {"link", text_of(panes.link())},
          {"fit", panes.link().fit ? json_of(*panes.link().fit) : Json()},
          {"link_rests", panes.link_rests()},
          {"bytes_wanted", panes.bytes().wanted()},
          {"bytes_shared", panes.bytes().holds()},
          {"bytes_button", panes.bytes_button() ? place_of(*panes.bytes_button()) : Json()},
          {"panes", list}};
}

Json json_of(const FileBrowser& browser) {
  if (!browser.visible()) return {};
  return {{"folder", browser.folder().string()}, {"name", browser.name()}, {"confirms", browser.confirms()}};
}

Json json_of(const TraceChooser& chooser) {
  if (!chooser.visible()) return {};
  Json list = Json::array();
  for (std::size_t i = 0; i < chooser.traces().size(); ++i) {
    list.push_back({{"name", chooser.traces()[i].name}, {"marked", chooser.marked(i)}});
  }
  const TraceChooser::Places& places = chooser.places();
  return {{"container", chooser.container().string()},
          {"cursor", chooser.cursor()},
          {"area", {places.left, places.top, places.width, places.height}},
          {"open_all", {places.open_all_x, places.open_all_y}},
          {"traces", list}};
}

}  // namespace

std::string state_json(const Session& session, const Ui& ui, const DrawnFrame& frame) {
  Json documents = Json::array();
  for (std::size_t i = 0; i < session.size(); ++i) documents.push_back(json_of(session.document(i)));
  const Document* active = session.active_document();
  const bool timeline = active != nullptr && active->shows_timeline();
  Json bookmarks;
  if (timeline) {
    bookmarks = {{"list", json_of(active->bookmarks())},
                 {"message", active->bookmarks().message()},
                 {"editing", active->panel().editing_bookmark()}};
  }
  const Json json = {
      {"frame", frame.number},
      {"documents", documents},
      {"active", session.empty() ? Json() : Json(session.active())},
      {"view", timeline ? json_of(active->panel().shown()) : Json()},
      {"snapshot",
       active != nullptr && active->shows_snapshot() ? snapshot_json(active->snapshot_panel()) : Json()},
      {"bookmarks", bookmarks},
      {"split", json_of(ui.panes(), session)},
      {"search", timeline ? search_json(active->panel()) : Json()},
      {"tables", timeline ? tables_json(active->panel().tables()) : Json()},
      {"range", timeline ? range_json(active->panel()) : Json()},
      {"compare", timeline ? compare_json(active->panel()) : Json()},
      {"flame", timeline ? flame_json(active->panel().flame()) : Json()},
      {"complete", ui.complete()},
      {"settled", ui.complete() && frame.fonts_complete && frame.resting && ui.sleep_seconds() > 0},
      {"title", ui.window_title()},
      {"help", ui.help_open()},
      {"help_lines", ui.help_lines()},
      {"interface_scale", ui.interface_scale()},
      {"trust", trust_json(ui)},
      {"palette", ui.palette_open()},
      {"choosing", json_of(ui.chooser())},
      {"debug", ui.debug_open()},
      {"color_by", text_of(ui.look().color_mode)},
      {"shown_color_by", timeline ? Json(text_of(active->panel().look().shown_mode())) : Json()},
      {"full_names", ui.look().full_names},
      {"language", code_of(language())},
      {"units", name_of(byte_units())},
      {"note", ui.language_note()},
      {"told", ui.told()},
      {"browser", json_of(ui.browser())},
      {"theme", ui.theme().dark ? "dark" : "light"},
      {"frame_cpu_ms", frame.cpu_ms}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kino
