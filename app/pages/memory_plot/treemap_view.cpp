#include "app/pages/memory_plot/treemap_view.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kLeastAreaPx = 16;  // minimum area of a block that has its own box, at scale 1

Box boxes_area(const SnapshotState& state) {
  Box area = TreemapView::area_of(state);
  area.top = std::min(area.bottom, state.boxes.ruler.bottom);
  return area;
}

}  // namespace

Box TreemapView::area_of(const SnapshotState& state) {
  return {state.boxes.all.left, state.boxes.bar.bottom, state.boxes.all.right, state.boxes.plot.bottom};
}

void TreemapView::update(const SnapshotState& state) {
  answer_.poll();
  const Box area = boxes_area(state);
  const TreemapParams wanted{state.device_index(), area.width(), area.height(),
                             kLeastAreaPx * state.scale * state.scale};
  // A running request is not replaced, so that a dragged edge gets finished results.
  if (area.width() < 1 || area.height() < 1 || answer_.running() || requested_ == wanted) return;
  requested_ = wanted;
  answer_.start(pool_, wake_, [snapshot = snapshot_, wanted](const std::stop_token& stop) {
    return compute_treemap(snapshot->devices[wanted.device], wanted, stop);
  });
}

const TreemapResult* TreemapView::answer(const SnapshotState& state) const {
  const TreemapResult* shown = answer_.value();
  return shown != nullptr && shown->question.device == state.device_index() ? shown : nullptr;
}

const TreemapBox* TreemapView::hovered(const SnapshotState& state) const {
  const TreemapResult* shown = answer(state);
  return shown == nullptr || !mouse_ ? nullptr : box_at(shown->map, mouse_->x, mouse_->y);
}

void TreemapView::handle_mouse(SnapshotState& state) {
  const Box area = boxes_area(state);
  place_button("treemap", area);
  mouse_.reset();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemHovered()) mouse_ = ImVec2{mouse.x - area.left, mouse.y - area.top};
  const TreemapResult* shown = answer(state);
  const TreemapBox* under = hovered(state);
  const bool single = under != nullptr && under->count == 1;
  state.hovered = single ? shown->layout.blocks[under->block].allocation : kNoAllocation;
  if (under != nullptr && ImGui::IsItemClicked(ImGuiMouseButton_Left)) state.select(state.hovered);
}

void TreemapView::draw(ImDrawList& list, const SnapshotState& state, const Colors& colors,
                       const Theme& theme) {
  const Box all = area_of(state);
  const Box area = boxes_area(state);
  list.AddRectFilled({all.left, all.top}, {all.right, all.bottom}, theme.panel);
  const TreemapResult* shown = answer(state);
  const float em = ImGui::GetFontSize();
  const float y = std::floor(all.top + (area.top - all.top - em) / 2);
  const bool failed = answer_.failed();
  draw_elided(list, {all.left + state.px(12), y}, all.width() - state.px(24),
              failed ? theme.error : theme.text_dim,
              tr(failed             ? Text::not_enough_memory
                 : shown == nullptr ? Text::snapshot_counting
                                    : Text::treemap_about));
  const ImVec2 from{all.left, all.top};
  if (ImGui::IsMouseHoveringRect(from, {all.right, area.top}) && ImGui::IsWindowHovered())
    ImGui::SetTooltip("%s", tr(Text::treemap_hint));
  if (shown == nullptr) return;
  list.PushClipRect({area.left, area.top}, {area.right, area.bottom}, true);
  for (const TreemapBox& box : shown->map.blocks) draw_block(list, state, *shown, box, colors, theme);
  const TreemapBox* under = hovered(state);
  const float thin = std::max(1.0F, std::round(state.scale));
  const auto outline = [&](const TreemapBox& box, std::uint32_t color, float thickness) {
    list.AddRect({area.left + static_cast<float>(box.left), area.top + static_cast<float>(box.top)},
                 {area.left + static_cast<float>(box.right), area.top + static_cast<float>(box.bottom)},
                 color, 0, 0, thickness);
  };
  for (const TreemapBox& segment : shown->map.segments) {
    const bool large =
        std::min(segment.right - segment.left, segment.bottom - segment.top) > 40 * state.scale;
    outline(segment, theme.panel, large ? 4 * thin : 2 * thin);
  }
  if (under != nullptr) {
    for (const TreemapBox& segment : shown->map.segments) {
      if (segment.segment == under->segment) outline(segment, theme.text_dim, 2 * thin);
    }
    outline(*under, theme.text, 2 * thin);
  }
  for (const TreemapBox& box : shown->map.blocks) {
    if (box.count == 1 && state.selected != kNoAllocation &&
        shown->layout.blocks[box.block].allocation == state.selected) {
      outline(box, theme.text, 3 * thin);
    }
  }
  list.PopClipRect();
  if (under != nullptr && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) draw_card(state, *shown, *under, theme);
}

void TreemapView::draw_block(ImDrawList& list, const SnapshotState& state, const TreemapResult& shown,
                             const TreemapBox& box, const Colors& colors, const Theme& theme) const {
  const Box area = boxes_area(state);
  const ImVec2 from{area.left + static_cast<float>(box.left), area.top + static_cast<float>(box.top)};
  const ImVec2 to{area.left + static_cast<float>(box.right), area.top + static_cast<float>(box.bottom)};
  const float used = box.bytes > 0 ? static_cast<float>(box.used) / static_cast<float>(box.bytes) : 0;
  if (box.count > 1) {
    list.AddRectFilled(from, to, mixed(theme.track_area, theme.text_dim, used));
    return;
  }
  const LayoutBlock& block = shown.layout.blocks[box.block];
  const bool free = block.kind == LayoutKind::free;
  list.AddRectFilled(from, to, free ? theme.track_area : colors(block.allocation));
  if (block.kind == LayoutKind::pending) draw_hatching(list, from, to, theme.text_on_slice, state.scale);
  const bool edged = std::min(to.x - from.x, to.y - from.y) > 3;
  if (edged) list.AddRect(from, to, free ? theme.grid : theme.track_area);
  const std::uint32_t backing = block.kind == LayoutKind::pending ? colors(block.allocation) : 0;
  draw_text(list, shown, box, from, to, free ? theme.text_dim : theme.text_on_slice, backing, state.scale);
}

void TreemapView::draw_text(ImDrawList& list, const TreemapResult& shown, const TreemapBox& box, ImVec2 from,
                            ImVec2 to, std::uint32_t color, std::uint32_t backing, float ui_scale) const {
  const float em = ImGui::GetFontSize();
  const float margin = std::round(6 * ui_scale);
  const float room = to.x - from.x - 2 * margin;
  if (room < 2.5F * em || to.y - from.y < 1.3F * em) return;
  const LayoutBlock& block = shown.layout.blocks[box.block];
  const bool free = block.kind == LayoutKind::free;
  std::string size = text_from_bytes(free ? block.size : block.requested);
  if (const std::string words = filled(Text::segments_free_block, {size}); free && text_width(words) <= room)
    size = words;
  // A size that does not fit is omitted, because a truncated number would be a different size.
  if (text_width(size) > room) return;
  const auto line = [&](float y, const std::string& words) {
    const ImVec2 at{std::floor(from.x + margin), std::floor(from.y + margin / 2 + y)};
    // Text over hatching gets a background, to be readable.
    const float width = std::min(room, text_width(words));
    if (backing != 0) list.AddRectFilled({at.x - 2, at.y}, {at.x + width + 2, at.y + em}, backing);
    draw_elided(list, at, room, color, words);
  };
  line(0, size);
  if (free || to.y - from.y < 2.7F * em) return;
  const Allocations& allocations = snapshot_->devices[shown.question.device].history.allocations;
  const StackId stack = allocations.stack[static_cast<std::size_t>(block.allocation)];
  if (stack != kNoStack) line(std::round(1.2F * em), place_text(*snapshot_, stack));
}

void TreemapView::draw_card(const SnapshotState& state, const TreemapResult& shown, const TreemapBox& box,
                            const Theme& theme) const {
  const LayoutBlock& block = shown.layout.blocks[box.block];
  const LayoutSegment& segment = shown.layout.segments[box.segment];
  const auto bytes = [](std::uint64_t number) { return text_from_bytes(number); };
  const double share = box.bytes > 0 ? static_cast<double>(box.used) / static_cast<double>(box.bytes) : 0;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 460 * state.scale);
  const bool of_segments = box.count > 1 && std::ranges::any_of(shown.map.segments, [&](const auto& other) {
                             return other.count > 1 && other.segment == box.segment;
                           });
  if (box.count > 1) {
    colored_text(theme.text, filled(of_segments ? Text::treemap_small_segments : Text::treemap_small_blocks,
                                    {grouped(box.count), bytes(box.bytes), text_from_share(share)}));
  } else if (block.kind == LayoutKind::free) {
    colored_text(theme.text, filled(Text::segments_free_block, {bytes(block.size)}));
  } else {
    colored_text(theme.text, bytes(block.requested));
    ImGui::SameLine(0, 8 * state.scale);
    colored_text(theme.text_dim, filled(Text::segments_block_size, {bytes(block.size)}));
    const Allocations& allocations = state.history().allocations;
    colored_text(theme.text,
                 place_text(*snapshot_, allocations.stack[static_cast<std::size_t>(block.allocation)]));
    if (block.kind == LayoutKind::pending) colored_text(theme.warning, tr(Text::snapshot_pending));
  }
  if (!of_segments) {
    if (box.count == 1) {
      colored_text(theme.text_dim, filled(Text::snapshot_card_place,
                                          {address_text(block.addr), stream_text(*snapshot_, segment.stream),
                                           pool_text(*snapshot_, segment.pool)}));
    }
    colored_text(theme.text_dim, filled(segment.expandable ? Text::segments_of_expandable : Text::segments_of,
                                        {bytes(segment.size), address_text(segment.addr)}));
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace kino
