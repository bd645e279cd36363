#include "app/pages/snapshot/snapshot_json.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/pages/memory_plot/band_labels.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

Json allocation_json(const SnapshotState& shown, AllocationId id) {
  if (id == kNoAllocation) return {};
  const Allocations& allocations = shown.history().allocations;
  const auto i = static_cast<std::size_t>(id);
  return {{"address", address_text(allocations.addr[i])},
          {"size", allocations.size[i]},
          {"place", place_text(*shown.snapshot, allocations, id)}};
}

Json finder_json(const SnapshotFinder& finder) {
  const SnapshotSearchResult* found = finder.newest();
  if (!finder.is_open() || found == nullptr) return {{"open", finder.is_open()}};
  return {{"open", true},
          {"query", found->query},
          {"problem", found->problem.str()},
          {"allocations", found->hits.allocations.size()},
          {"events", found->hits.events.size()},
          {"bytes", found->hits.bytes}};
}

const char* text_of(SnapshotAxisKind kind) {
  constexpr std::array kNames = {"events", "time", "steps"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json steps_json(const SnapshotState& shown) {
  if (shown.steps() == nullptr) return {};
  return {{"count", shown.steps()->ends.size()},
          {"region", shown.steps()->region.str()},
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

Json treemap_json(const TreemapView& treemap, const SnapshotState& shown) {
  const TreemapResult* answer = shown.only_segments() ? treemap.answer(shown) : nullptr;
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

Json labels_json(const MemoryPlot& plot) {
  Json labels = Json::array();
  for (const PlotLabel& label : plot.labels()) {
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

}  // namespace

Json json_of(const SnapshotParts& parts) {
  const SnapshotState& shown = parts.state;
  if (!shown.any()) return {{"devices", 0}};
  const TimeView& view = shown.navigation.view();
  const Box& plot = shown.boxes.plot;
  const CurvePeak& peak = shown.peak();
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
      {"drawer", shown.drawer.open},
      {"tab", shown.drawer.page},
      {"drawer_area",
       {shown.boxes.drawer.left, shown.boxes.drawer.top, shown.boxes.drawer.width(),
        shown.boxes.drawer.height()}},
      {"labels", labels_json(parts.plot)},
      {"treemap", treemap_json(parts.treemap, shown)},
      {"overlay", overlay_json(parts.overlay, shown)},
      {"find", finder_json(parts.finder)},
      {"layout", layout_json(shown)},
      {"filtered", shown.filtered() ? Json(shown.bands->among_count) : Json()},
      {"run",
       {{"file", parts.run.run().file},
        {"rows", shown.trace_rows},
        {"at_cursor", shown.trace_text ? shown.trace_text(shown.cursor) : ""},
        {"at_peak", shown.trace_text ? shown.trace_text(peak.event) : ""},
        {"lane",
         {shown.boxes.run.left, shown.boxes.run.top, shown.boxes.run.width(), shown.boxes.run.height()}}}},
      {"of_trace", shown.snapshot->source == SnapshotSource::trace},
      {"coloring", text_of(parts.coloring)},
      {"picture", parts.picture}};
}

}  // namespace kino
