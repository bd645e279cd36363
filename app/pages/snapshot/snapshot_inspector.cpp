#include "app/pages/snapshot/snapshot_inspector.hpp"

#include <algorithm>
#include <cmath>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/ui/drawer/top_list.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"

namespace kino {

std::vector<std::string> moment_lines(const SnapshotDevice& device, EventIndex event, const LiveSums& live) {
  std::vector<std::string> lines{
      filled(Text::panel_live, {text_from_bytes(static_cast<double>(live.bytes)), grouped(live.count)})};
  if (device.history.curve(MemoryCurve::reserved).peak.bytes > 0) {
    const std::uint64_t reserved = curve_at(device, MemoryCurve::reserved, event);
    lines.push_back(filled(Text::panel_reserved, {text_from_bytes(static_cast<double>(reserved))}));
  }
  if (event >= 0 && SnapshotAxis::can_show(device, SnapshotAxisKind::time, nullptr)) {
    const auto times = device.entries.time_us.span();
    const std::size_t index = std::min(static_cast<std::size_t>(event), times.size() - 1);
    lines.push_back(filled(Text::panel_moment, {text_from_duration((times[index] - times.front()) * 1000)}));
  }
  return lines;
}

void SnapshotInspector::handle_keys(SnapshotState& state, Splitters* sizes, bool keyboard, float page_px) {
  frame_.handle_keys(sizes, keyboard, state.drawer);
  state.inspector_px = state.drawer.fills() ? 0 : frame_.width(page_px, state.scale);
  shown_ = state.inspector_px > 0;
}

// A computation under way is finished first, so that the sums are updated while the cursor is dragged.
void SnapshotInspector::ask(const SnapshotState& state, const AllocationColors& colors) {
  sums_.poll();
  const Query query{state.device_index(), state.cursor, colors.categories()};
  if (sums_.running() || asked_ == query) return;
  asked_ = query;
  sums_.start(pool_, wake_,
              [snapshot = state.snapshot, device = query.device, event = query.event,
               categories = colors.categories()](const std::stop_token& stop) {
                const auto of_device = categories != nullptr ? categories->of(device, stop) : nullptr;
                return Sums{device, live_sums(*snapshot, device, event, of_device.get(), stop)};
              });
}

void SnapshotInspector::draw(SnapshotState& state, const AllocationColors& colors, Splitters* sizes,
                             const DrawContext& look) {
  if (!shown_) return;
  const bool selected = state.selected != kNoAllocation;
  if (!selected) ask(state, colors);
  std::string note;
  if (!selected && state.cursor >= 0) note = filled(Text::snapshot_event, {std::to_string(state.cursor)});
  frame_.draw(state.boxes.inspector, {tr(selected ? Text::panel_block : Text::panel_at_cursor), note}, sizes,
              look, [&](ImVec2 size) {
                begin_panel("inspector", size, look.theme,
                            {std::round(14 * look.scale), std::round(12 * look.scale)});
                if (selected) {
                  draw_block(state, colors, look);
                } else {
                  draw_sums(state, colors, look);
                }
                ImGui::EndChild();
              });
}

void SnapshotInspector::draw_block(SnapshotState& state, const AllocationColors& colors,
                                   const DrawContext& look) {
  const Allocations& allocations = state.history().allocations;
  const std::uint64_t size = allocations.size[index_of(state.selected)];
  wrapped_text(look.theme.text,
               filled(Text::panel_block_sentence,
                      {text_from_bytes(size), place_text(*state.snapshot, allocations, state.selected)}));
  ImGui::Dummy({1, std::round(6 * look.scale)});
  details_.draw(state, colors.told(), colors.of(state.selected, look.theme), look.theme);
}

void SnapshotInspector::draw_sums(SnapshotState& state, const AllocationColors& colors,
                                  const DrawContext& look) const {
  const Theme& theme = look.theme;
  const Sums* const sums = sums_.value();
  if (sums == nullptr || sums->device != state.device_index()) {
    if (sums_.failed()) wrapped_text(theme.text_dim, tr(Text::not_enough_memory));
    return;
  }
  const LiveSums& live = sums->live;
  for (const std::string& line : moment_lines(state.device(), state.cursor, live))
    wrapped_text(theme.text, line);
  if (live.count == 0) return wrapped_text(theme.text_dim, tr(Text::panel_nothing_live));
  const auto share = [&](std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(1, live.bytes));
  };
  // Categories have a color of their own only if the plot has the colors of categories.
  const bool by_category = colors.coloring() == BandColoring::category;
  if (!live.categories.empty()) {
    section_title(tr(Text::panel_categories), false, theme, look.scale);
    for (const LiveSums::Category& category : live.categories) {
      const std::string name = in_language(category.name);
      if (draw_top_row({name, text_from_bytes(category.bytes), share(category.bytes),
                        by_category ? colors.of(category.largest, theme) : theme.text_dim},
                       look))
        state.select(category.largest);
    }
  }
  section_title(tr(Text::panel_largest), false, theme, look.scale);
  const Allocations& all = state.history().allocations;
  for (const AllocationId id : live.largest) {
    ImGui::PushID(static_cast<int>(index_of(id)));
    if (draw_top_row({place_text(*state.snapshot, all, id), text_from_bytes(all.size[index_of(id)]),
                      share(all.size[index_of(id)]), colors.of(id, theme)},
                     look))
      state.select(id);
    ImGui::PopID();
  }
}

void SnapshotInspector::write_test_state(const SnapshotState& state, nlohmann::ordered_json& panel) const {
  nlohmann::ordered_json json;
  if (shown_) {
    json = frame_.test_state(state.boxes.inspector);
    json["selected"] = state.selected != kNoAllocation;
    const Sums* const sums = sums_.value();
    json["live_bytes"] = sums != nullptr ? nlohmann::ordered_json(sums->live.bytes) : nullptr;
    json["largest"] = sums != nullptr ? sums->live.largest.size() : 0;
    json["categories"] = sums != nullptr ? sums->live.categories.size() : 0;
  }
  panel["inspector"] = std::move(json);
}

}  // namespace kino
