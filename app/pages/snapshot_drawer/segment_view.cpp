#include "app/pages/snapshot_drawer/segment_view.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/theme.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/memory_raster.hpp"

namespace kino {
namespace {

constexpr float kRowPx = 16;
constexpr float kRowGapPx = 3;
constexpr double kZoomStep = 1.4;
constexpr double kMostZoom = 4096;
constexpr float kListShare = 0.36F;

void go_to_entry(SnapshotState& state, std::optional<EventIndex> event) {
  if (!event) return;
  state.go_to(*event);
  const AllocationId id = state.history().allocation_of_entry[static_cast<std::size_t>(*event)];
  if (id != kNoAllocation) state.selected = id;
}

float header_height(float scale) { return std::ceil(ImGui::GetTextLineHeight() + 6 * scale); }
float row_height(float scale) { return std::round(kRowPx * scale) + std::round(kRowGapPx * scale); }

}  // namespace

SegmentResult compute_segments(const SnapshotDevice& device, const SegmentParams& question,
                               const std::stop_token& stop) {
  SegmentResult answer;
  answer.question = question;
  answer.layout = layout_at(device, question.event);
  if (stop.stop_requested()) return answer;
  answer.memory = fragmentation_of(answer.layout);
  const double scale = bytes_per_px_to_fit(device.history, question.width_px, question.rows) / question.zoom;
  answer.map = segment_map(answer.layout, question.width_px, scale, stop);
  return answer;
}

void SegmentView::update(const SnapshotState& state, bool shown) {
  answer_.poll();
  if (!shown) return;
  events_.update(state);
  const SegmentParams wanted{state.device_index(), state.cursor, width_px_, rows_, zoom_};
  // A running request is not replaced, so that a moving cursor gets finished results.
  if (width_px_ < 1 || answer_.running() || requested_ == wanted) return;
  requested_ = wanted;
  answer_.start(pool_, wake_, [snapshot = snapshot_, wanted](const std::stop_token& stop) {
    return compute_segments(snapshot->devices[wanted.device], wanted, stop);
  });
}

void SegmentView::handle_keys(SnapshotState& state) {
  if (command_pressed(CommandId::find_event)) {
    state.drawer.show(drawer_page::kSegments);
    events_.find();
  }
  if (command_pressed(CommandId::next_event)) go_to_entry(state, events_.neighbor(state, 1));
  if (command_pressed(CommandId::previous_event)) go_to_entry(state, events_.neighbor(state, -1));
  const bool next = command_pressed(CommandId::next_on_block);
  if (!next && !command_pressed(CommandId::previous_on_block)) return;
  std::uint64_t addr = 0;
  if (state.selected != kNoAllocation) {
    addr = state.history().allocations.addr[static_cast<std::size_t>(state.selected)];
  } else if (state.cursor >= 0) {
    addr = state.device().entries.addr[static_cast<std::size_t>(state.cursor)];
  } else {
    return;
  }
  const EventIndex event = next ? next_on_address(state.device(), state.cursor, addr)
                                : previous_on_address(state.device(), state.cursor, addr);
  if (event != kNever) go_to_entry(state, event);
}

void SegmentView::draw(SnapshotState& state, const Colors& colors, const Theme& theme) {
  selected_place_.reset();
  hovered_.reset();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool beside = width >= 640 * state.scale;
  const float gap = std::round(12 * state.scale);
  const float list = beside ? std::round(width * kListShare) : 0;
  ImGui::BeginChild("segments", {beside ? width - list - gap : 0, 0}, false, ImGuiWindowFlags_NoScrollbar);
  draw_figures(state, theme);
  draw_map(state, colors, theme);
  ImGui::EndChild();
  if (!beside) return;
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("entries", {0, 0}, false, ImGuiWindowFlags_NoScrollbar);
  go_to_entry(state, events_.draw(state, theme));
  ImGui::EndChild();
}

void SegmentView::draw_figures(const SnapshotState& state, const Theme& theme) const {
  const SegmentResult* shown = answer();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const float line = ImGui::GetTextLineHeightWithSpacing();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::Dummy({1, 2 * line});
  if (shown == nullptr || shown->question.device != state.device_index()) {
    draw_elided(list, at, room, theme.text_dim,
                tr(answer_.failed() ? Text::not_enough_memory : Text::snapshot_counting));
    return;
  }
  const Fragmentation& memory = shown->memory;
  const std::string used =
      filled(Text::segments_used, {text_from_bytes(memory.reserved), text_from_bytes(memory.allocated),
                                   text_from_bytes(memory.pending), text_from_bytes(memory.rounding)});
  const std::string free = filled(memory.free_blocks == 1 ? Text::segments_free_one : Text::segments_free,
                                  {text_from_bytes(memory.free), text_from_bytes(memory.largest_free),
                                   grouped(memory.free_blocks), text_from_bytes(memory.stuck_free)});
  draw_elided(list, at, room, theme.text, used);
  draw_elided(list, {at.x, at.y + line}, room, theme.text_dim, free);
  if (ImGui::IsMouseHoveringRect(at, {at.x + room, at.y + 2 * line}) && ImGui::IsWindowHovered())
    ImGui::SetTooltip("%s\n%s\n%s", used.c_str(), free.c_str(), tr(Text::segments_hint));
}

std::string SegmentView::group_text(const SegmentGroup& group) const {
  const Text words = group.small ? Text::segments_small_group : Text::segments_large_group;
  return filled(words, {pool_text(*snapshot_, group.pool), stream_text(*snapshot_, group.stream),
                        grouped(group.segments), text_from_bytes(group.reserved), text_from_bytes(group.used),
                        text_from_bytes(group.largest_free)});
}

void SegmentView::draw_map(SnapshotState& state, const Colors& colors, const Theme& theme) {
  ImGui::BeginChild("map", {0, 0}, false, ImGuiWindowFlags_AlwaysVerticalScrollbar);
  const float row = row_height(state.scale);
  const float header = header_height(state.scale);
  const float width = std::floor(ImGui::GetContentRegionAvail().x) - 2;
  const SegmentResult* shown = answer();
  const auto groups = static_cast<float>(shown != nullptr ? shown->map.groups.size() : 1);
  width_px_ = std::max(1.0F, width);
  rows_ = std::max(1.0F, std::floor((ImGui::GetWindowHeight() - groups * header) / row));
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsWindowHovered() && io.KeyCtrl && io.MouseWheel != 0)
    zoom_ = std::clamp(zoom_ * std::pow(kZoomStep, io.MouseWheel), 1.0, kMostZoom);
  if (shown == nullptr || shown->question.device != state.device_index()) {
    ImGui::EndChild();
    return;
  }
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float total = groups * header + static_cast<float>(shown->map.rows()) * row;
  ImGui::InvisibleButton("boxes", {std::max(1.0F, width), std::max(1.0F, total)});
  const bool over = ImGui::IsItemHovered();
  const bool clicked = over && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  const float top = ImGui::GetWindowPos().y;
  const float bottom = top + ImGui::GetWindowHeight();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const MapBox* under = nullptr;
  float y = origin.y;
  for (const SegmentGroup& group : shown->map.groups) {
    if (y + header > top && y < bottom)
      draw_elided(list, {origin.x, y + 3 * state.scale}, width, theme.text_dim, group_text(group));
    y += header;
    for (std::size_t r = group.first_row; r < group.first_row + group.row_count; ++r, y += row) {
      if (y + row <= top || y >= bottom) continue;
      if (over && io.MousePos.y >= y && io.MousePos.y < y + row) {
        under = box_at(shown->map, r, io.MousePos.x - origin.x);
        if (under != nullptr) hovered_ = under->block;
      }
      draw_row(list, state, r, {origin.x, y}, std::round(kRowPx * state.scale), colors, theme);
    }
  }
  if (under != nullptr) draw_card(state, *under, theme);
  if (under != nullptr && clicked) click(state, *under);
  ImGui::EndChild();
}

void SegmentView::draw_row(ImDrawList& list, const SnapshotState& state, std::size_t row, ImVec2 corner,
                           float height, const Colors& colors, const Theme& theme) {
  for (const MapBox& box : answer()->map.row(row)) {
    const ImVec2 from{corner.x + static_cast<float>(box.begin_px), corner.y};
    const ImVec2 to{corner.x + static_cast<float>(box.end_px), corner.y + height};
    draw_box(list, state, box, from, to, colors, theme);
    list.AddLine({from.x, corner.y - 0.5F}, {to.x, corner.y - 0.5F}, theme.border);
    list.AddLine({from.x, to.y + 0.5F}, {to.x, to.y + 0.5F}, theme.border);
    if (box.first) list.AddLine({from.x - 0.5F, from.y}, {from.x - 0.5F, to.y}, theme.text_dim);
    if (box.last) list.AddLine({to.x + 0.5F, from.y}, {to.x + 0.5F, to.y}, theme.text_dim);
  }
}

void SegmentView::draw_box(ImDrawList& list, const SnapshotState& state, const MapBox& box, ImVec2 from,
                           ImVec2 to, const Colors& colors, const Theme& theme) {
  const LayoutBlock& block = answer()->layout.blocks[box.block];
  const std::uint32_t free_color = theme.track_area;
  if (box.count > 1) {
    list.AddRectFilled(from, to, mixed(free_color, theme.text_dim, box.used_share));
    return;
  }
  if (block.kind == LayoutKind::free) {
    list.AddRectFilled(from, to, free_color);
    return;
  }
  const std::uint32_t color = colors(block.allocation);
  list.AddRectFilled(from, to, color);
  const float requested_x = from.x + static_cast<float>(box.requested_end_px - box.begin_px);
  if (requested_x < to.x) list.AddRectFilled({requested_x, from.y}, to, mixed(free_color, theme.error, 0.55));
  if (block.kind == LayoutKind::pending) draw_hatching(list, from, to, theme.text_on_slice, state.scale);
  const std::string size =
      to.x - from.x > 48 * state.scale ? text_from_bytes(block.requested) : std::string();
  const float room = requested_x - from.x - 6 * state.scale;
  if (!size.empty() && text_width(size) <= room) {
    list.AddText({from.x + 3 * state.scale, from.y + std::floor((to.y - from.y - ImGui::GetFontSize()) / 2)},
                 theme.text_on_slice, size.c_str());
  } else if (to.x - from.x > 3) {
    list.AddLine({to.x - 0.5F, from.y}, {to.x - 0.5F, to.y}, free_color);
  }
  if (state.selected == kNoAllocation) return;
  const Allocations& allocations = state.history().allocations;
  const bool selected = block.allocation == state.selected;
  if (selected && !selected_place_) selected_place_ = ImVec2{(from.x + to.x) / 2, (from.y + to.y) / 2};
  if (!selected && band_group(allocations, block.allocation) != band_group(allocations, state.selected))
    return;
  list.AddRect({from.x - 1, from.y - 1}, {std::max(to.x, from.x + 1) + 1, to.y + 1}, theme.text, 0, 0,
               selected ? std::max(2.0F, std::round(2 * state.scale)) : 1.0F);
}

void SegmentView::draw_card(const SnapshotState& state, const MapBox& box, const Theme& theme) const {
  const LayoutBlock& block = answer()->layout.blocks[box.block];
  const LayoutSegment& segment = answer()->layout.segments[box.segment];
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 460 * state.scale);
  if (box.count > 1) {
    colored_text(theme.text,
                 filled(Text::segments_narrow, {grouped(box.count), text_from_share(box.used_share)}));
  } else if (block.kind == LayoutKind::free) {
    colored_text(theme.text, filled(Text::segments_free_block, {text_from_bytes(block.size)}));
    colored_text(theme.text_dim, address_text(block.addr));
  } else {
    colored_text(theme.text, text_from_bytes(block.requested));
    ImGui::SameLine(0, 8 * state.scale);
    colored_text(theme.text_dim, filled(Text::segments_block_size, {text_from_bytes(block.size)}));
    colored_text(theme.text, place_text(*snapshot_, state.history().allocations, block.allocation));
    colored_text(theme.text_dim, age_text(state.device(), block.allocation, answer()->question.event));
    if (block.kind == LayoutKind::pending) colored_text(theme.warning, tr(Text::snapshot_pending));
    colored_text(theme.text_dim, address_text(block.addr));
  }
  colored_text(theme.text_dim, filled(segment.expandable ? Text::segments_of_expandable : Text::segments_of,
                                      {text_from_bytes(segment.size), address_text(segment.addr)}));
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void SegmentView::click(SnapshotState& state, const MapBox& box) const {
  const LayoutBlock& block = answer()->layout.blocks[box.block];
  state.selected = box.count == 1 ? block.allocation : kNoAllocation;
}

}  // namespace kino
