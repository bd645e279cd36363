#include "app/pages/memory_plot/category_legend.hpp"

#include <algorithm>
#include <cmath>

#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

void draw_square(ImDrawList& list, ImVec2 at, float size, std::uint32_t color, float round) {
  list.AddRectFilled(at, {at.x + size, at.y + size}, color, round);
}

void draw_category_tooltip(const SnapshotState& state, std::span<const CategoryLegendEntry> entries,
                           const Theme& theme) {
  const float square = state.px(9);
  ImGui::BeginTooltip();
  colored_text(theme.text_dim, tr(Text::category_legend_hint));
  if (ImGui::BeginTable("categories", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (const CategoryLegendEntry& entry : entries) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float top = std::floor(at.y + (ImGui::GetTextLineHeight() - square) / 2);
      draw_square(*ImGui::GetWindowDrawList(), {at.x, top}, square, entry.color, state.px(2));
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + square + state.px(7));
      colored_text(theme.text, entry.name);
      ImGui::TableNextColumn();
      right_aligned_text(theme.text, text_from_bytes(entry.bytes));
    }
    ImGui::EndTable();
  }
  ImGui::EndTooltip();
}

}  // namespace

std::vector<CategoryAtPeak> categories_at_peak(const SnapshotDevice& device,
                                               const AllocationCategories& categories,
                                               const std::stop_token& stop) {
  const Allocations& allocations = device.history.allocations;
  const EventIndex peak = device.history.curve(MemoryCurve::requested).peak.event;
  std::vector<std::uint64_t> bytes(categories.names.size());
  std::vector<std::uint8_t> occurs(categories.names.size());
  const std::size_t count = std::min<std::size_t>(allocations.count(), categories.of_allocation.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 65536 == 0 && stop.stop_requested()) return {};
    const std::size_t category = categories.of_allocation[i];
    if (category >= bytes.size()) continue;
    occurs[category] = 1;
    if (allocations.begin[i] <= peak && allocations.end[i] > peak) bytes[category] += allocations.size[i];
  }
  std::vector<CategoryAtPeak> found;
  found.reserve(bytes.size());
  for (std::size_t category = 0; category < bytes.size(); ++category) {
    if (occurs[category] != 0) found.push_back({category, bytes[category]});
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &CategoryAtPeak::bytes);
  return found;
}

std::size_t draw_category_legend(ImDrawList& list, const SnapshotState& state,
                                 std::span<const CategoryLegendEntry> entries, const Theme& theme) {
  const Box& box = state.boxes.legend;
  if (box.height() < 1 || entries.empty()) return 0;
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.panel);
  list.AddLine({box.left, box.top + 0.5F}, {box.right, box.top + 0.5F}, theme.border);
  const float text_y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  const float square = state.px(9);
  const float square_y = std::floor(box.top + (box.height() - square) / 2);
  const float gap = state.px(5);
  const float space = state.px(14);
  const float right = box.right - state.px(12);
  const float more_width = text_width(filled(Text::and_more, {"00"}));
  float x = state.boxes.plot.left;
  std::size_t drawn = 0;
  for (; drawn < entries.size(); ++drawn) {
    const CategoryLegendEntry& entry = entries[drawn];
    const float width = square + gap + text_width(entry.name);
    const bool last = drawn + 1 == entries.size();
    if (x + width + (last ? 0 : space + more_width) > right) break;
    draw_square(list, {x, square_y}, square, entry.color, state.px(2));
    draw_elided(list, {x + square + gap, text_y}, width, theme.text_dim, entry.name);
    x += width + space;
  }
  if (drawn < entries.size()) {
    draw_elided(list, {x, text_y}, right - x, theme.accent,
                filled(Text::and_more, {std::to_string(entries.size() - drawn)}));
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (box.contains(mouse.x, mouse.y) && ImGui::IsWindowHovered())
    draw_category_tooltip(state, entries, theme);
  return drawn;
}

}  // namespace kino
