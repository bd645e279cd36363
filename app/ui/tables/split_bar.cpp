#include "app/ui/tables/split_bar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <imgui.h>

#include "app/ui/text/table_text.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/step_breakdown.hpp"

namespace kino {
namespace {

std::uint32_t faded(std::uint32_t color, double share) {
  return (color & 0xffffffU) | static_cast<std::uint32_t>(std::lround(255 * share)) << 24;
}

/// Returns the column of a role in the table `steps`, or null.
const TableColumn* role_column(const Table& table, StepRole role) {
  const TableColumn* column = table.find(std::string(text_of(role)) + "_ns");
  return column != nullptr && std::holds_alternative<TableColumn::Integers>(column->values) ? column
                                                                                            : nullptr;
}

/// Returns the time of a role in a row; 0 if the table has no column for the role.
std::int64_t role_ns(const Table& table, StepRole role, std::uint32_t row) {
  const TableColumn* column = role_column(table, role);
  return column != nullptr ? std::get<TableColumn::Integers>(column->values)[row] : 0;
}

/// Draws the times of the roles above the row, whose text begins at `top`.
void draw_tip(const Table& table, std::uint32_t row, std::int64_t total_ns, float top, const Theme& theme) {
  const float line_height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  float height = 0;
  for (std::size_t i = 0; i < kStepRoleCount; ++i)
    height += role_ns(table, static_cast<StepRole>(i), row) > 0 ? line_height : 0;
  place_next_tooltip(top, top + ImGui::GetTextLineHeight(), height);
  ImGui::BeginTooltip();
  if (ImGui::BeginTable("roles", 3, ImGuiTableFlags_SizingFixedFit)) {
    for (std::size_t i = 0; i < kStepRoleCount; ++i) {
      const auto role = static_cast<StepRole>(i);
      const std::int64_t time_ns = role_ns(table, role, row);
      if (time_ns <= 0) continue;
      const TableColumn& column = *role_column(table, role);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float line = ImGui::GetTextLineHeight();
      const float square = std::round(line * 0.6F);
      const float square_y = at.y + std::floor((line - square) / 2);
      ImGui::GetWindowDrawList()->AddRectFilled({at.x, square_y}, {at.x + square, square_y + square},
                                                role_color(text_of(role), theme));
      ImGui::Dummy({square, line});
      ImGui::SameLine();
      colored_text(theme.text, shown_title(table, column));
      ImGui::TableNextColumn();
      right_aligned_text(theme.text, cell_text(column, row));
      ImGui::TableNextColumn();
      right_aligned_text(theme.text_dim,
                         text_from_share(static_cast<double>(time_ns) / static_cast<double>(total_ns)));
    }
    ImGui::EndTable();
  }
  ImGui::EndTooltip();
}

}  // namespace

std::uint32_t role_color(std::string_view role, const Theme& theme) {
  struct RoleKind {
    StepRole role;
    SliceKind kind;
    double strength;
  };
  constexpr std::array kKinds = {
      RoleKind{StepRole::compute, SliceKind::compute, 1},
      RoleKind{StepRole::communication, SliceKind::communication, 1},
      RoleKind{StepRole::memcpy, SliceKind::copy, 1},
      RoleKind{StepRole::memset, SliceKind::copy, 0.6},
      RoleKind{StepRole::runtime, SliceKind::runtime, 1},
      RoleKind{StepRole::data_loading, SliceKind::python, 1},
      RoleKind{StepRole::cpu, SliceKind::cpu_op, 1},
  };
  for (const RoleKind& known : kKinds) {
    if (text_of(known.role) == role) return faded(kind_color(known.kind, theme), known.strength);
  }
  return faded(theme.text_dim, 0.35);
}

bool has_split_bar(const Table& table, const TableColumn& column) {
  return column.key == "total_ns" && std::holds_alternative<TableColumn::Integers>(column.values) &&
         role_column(table, StepRole::compute) != nullptr && role_column(table, StepRole::idle) != nullptr;
}

std::int64_t longest_total_ns(const TableColumn& column) {
  const auto& totals = std::get<TableColumn::Integers>(column.values);
  return totals.empty() ? 0 : std::ranges::max(totals);
}

void draw_split_bar(const Table& table, std::uint32_t row, std::int64_t longest_ns, float number_px, bool tip,
                    const Theme& theme, float ui_scale) {
  const std::int64_t total_ns = std::get<TableColumn::Integers>(table.find("total_ns")->values)[row];
  if (longest_ns <= 0 || total_ns <= 0) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = std::max(1.0F, ImGui::GetContentRegionAvail().x - number_px);
  const float top = at.y + std::round(2 * ui_scale);
  const float bottom = at.y + ImGui::GetTextLineHeight() - std::round(2 * ui_scale);
  const auto x_of = [&](std::int64_t time_ns) {
    return at.x + std::round(room * static_cast<float>(static_cast<double>(time_ns) /
                                                       static_cast<double>(longest_ns)));
  };
  std::int64_t before_ns = 0;
  for (std::size_t i = 0; i < kStepRoleCount; ++i) {
    const auto role = static_cast<StepRole>(i);
    const std::int64_t time_ns = role_ns(table, role, row);
    if (time_ns <= 0) continue;
    const std::int64_t after_ns = before_ns + time_ns;
    ImGui::GetWindowDrawList()->AddRectFilled({x_of(before_ns), top}, {x_of(after_ns), bottom},
                                              role_color(text_of(role), theme));
    before_ns = after_ns;
  }
  if (tip) draw_tip(table, row, total_ns, at.y, theme);
}

}  // namespace kino
