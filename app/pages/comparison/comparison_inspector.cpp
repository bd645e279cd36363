#include "app/pages/comparison/comparison_inspector.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/comparison/comparison_texts.hpp"
#include "app/ui/drawer/top_list.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/compare/comparison_tables.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kMostChanges = 12;

/// Figures of a row for one run, per step.
struct SideFigures {
  double calls = 0;
  double ns = 0;
};

SideFigures figures_of(std::int64_t count, std::int64_t sum_ns, std::size_t steps) {
  const auto of = static_cast<double>(std::max<std::size_t>(1, steps));
  return {static_cast<double>(count) / of, static_cast<double>(sum_ns) / of};
}

std::string calls_text(double calls) {
  const double rounded = std::round(calls);
  return std::abs(calls - rounded) < 0.05 ? grouped(static_cast<std::uint64_t>(std::max(0.0, rounded)))
                                          : formatted("%.1f", calls);
}

std::string time_text(double ns) { return text_from_duration(std::llround(ns)); }

void draw_line(Text title, const std::string& a, const std::string& b, const Theme& theme) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  wrapped_text(theme.text_dim, tr(title));
  ImGui::TableNextColumn();
  right_aligned_text(theme.text, a);
  ImGui::TableNextColumn();
  right_aligned_text(theme.text, b);
}

void draw_row(ComparisonState& state, const ComparedRow& row, const DrawContext& look) {
  const Theme& theme = look.theme;
  const RunComparison& comparison = state.picture->comparison;
  wrapped_text(theme.text, escaped(row.key));
  colored_text(theme.text_dim, cause_name(row.cause));
  copy_button(Text::drawer_copy_name, row.key);
  const SideFigures a = figures_of(row.count_a, row.sum_a, comparison.steps_a.size());
  const SideFigures b = figures_of(row.count_b, row.sum_b, comparison.steps_b.size());
  section_title(tr(Text::panel_both_sides), false, theme, look.scale);
  if (ImGui::BeginTable("sides", 3, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings)) {
    ImGui::TableNextRow();
    for (const char* const title : {"", "A", "B"}) {
      ImGui::TableNextColumn();
      right_aligned_text(theme.text_dim, title);
    }
    draw_line(Text::panel_time_per_step, time_text(a.ns), time_text(b.ns), theme);
    draw_line(Text::panel_calls_per_step, calls_text(a.calls), calls_text(b.calls), theme);
    const auto per_call = [](const SideFigures& side) {
      return side.calls > 0 ? time_text(side.ns / side.calls) : std::string("–");
    };
    draw_line(Text::panel_time_per_call, per_call(a), per_call(b), theme);
    ImGui::EndTable();
  }
  section_title(tr(Text::runs_change), false, theme, look.scale);
  const bool told = row.status != RowStatus::same;
  const double change = mean_change(comparison, row.change);
  std::string words = signed_duration(change);
  if (row.sum_a > 0) words += " (" + signed_percent(b.ns / a.ns - 1) + ")";
  if (std::isfinite(row.p)) words += ", p " + formatted("%.2g", row.p);
  colored_text(told ? color_of(direction_of(change, true), theme) : theme.text_dim, words);
  wrapped_text(theme.text_dim,
               filled(Text::facts_side, {tr(Text::panel_by_calls),
                                         signed_duration(mean_change(comparison, row.count_effect))}));
  wrapped_text(theme.text_dim,
               filled(Text::facts_side, {tr(Text::panel_by_speed),
                                         signed_duration(mean_change(comparison, row.speed_effect()))}));
  ImGui::Dummy({1, std::round(6 * look.scale)});
  if (link_text(tr(Text::panel_show_slice), ImGui::GetContentRegionAvail().x, "", theme)) state.want_slice();
}

/// Draws the largest changes. Returns the row that was clicked.
std::optional<std::uint32_t> draw_changes(const ComparisonState& state, const DrawContext& look) {
  const RunComparison& comparison = *state.told();
  std::optional<std::uint32_t> clicked;
  double largest = 0;
  std::uint32_t drawn = 0;
  // The largest change is first.
  for (std::uint32_t i = 0; i < comparison.rows.size() && drawn < kMostChanges; ++i) {
    const ComparedRow& row = comparison.rows[i];
    if (row.change == 0 || (state.cause && row.cause != *state.cause)) continue;
    const double change = mean_change(comparison, row.change);
    largest = std::max(largest, std::abs(change));
    ++drawn;
    ImGui::PushID(static_cast<int>(i));
    const bool told = row.status != RowStatus::same;
    if (draw_top_row({short_name(escaped(row.key)), signed_duration(change), std::abs(change) / largest,
                      color_of(direction_of(change, told), look.theme)},
                     look))
      clicked = i;
    ImGui::PopID();
  }
  if (drawn == 0) wrapped_text(look.theme.text_dim, tr(Text::panel_no_changes));
  return clicked;
}

}  // namespace

void ComparisonInspector::draw(ComparisonState& state, Splitters* sizes, bool keyboard) {
  const DrawContext look{state.theme, state.scale, keyboard};
  const bool selected = state.row.has_value() && state.told() != nullptr;
  if (state.inspector_px <= 0) return;
  const auto content = [&](ImVec2 size) {
    begin_panel("inspector", size, look.theme, {std::round(14 * look.scale), std::round(12 * look.scale)});
    if (selected) {
      draw_row(state, state.picture->comparison.rows[*state.row], look);
    } else if (state.told() != nullptr) {
      if (const auto clicked = draw_changes(state, look)) state.select_row(clicked);
    }
    ImGui::EndChild();
  };
  frame_.draw(state.boxes.inspector, {tr(selected ? Text::tab_selection : Text::panel_changes)}, sizes, look,
              content);
}

void ComparisonInspector::write_test_state(const ComparisonState& state,
                                           nlohmann::ordered_json& panel) const {
  nlohmann::ordered_json json;
  if (state.inspector_px > 0) {
    json = frame_.test_state(state.boxes.inspector);
    json["selected"] = state.row.has_value();
  }
  panel["inspector"] = std::move(json);
}

}  // namespace kino
