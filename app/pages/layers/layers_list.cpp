#include "app/pages/layers/layers_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/ui/layers/layer_texts.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/table_text.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/time_column.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

enum class ListColumn : std::uint8_t {
  layer,
  effect,
  forward,
  backward,
  recompute,
  communication,
  idle,
  kernels,
  flop,
  memory,
  passes,
};
constexpr int kListColumns = 11;

struct ColumnText {
  msg::Id title;
  msg::Id definition;
};

/// Titles and definitions of all columns but the sparkline.
constexpr std::array<ColumnText, kListColumns - 1> kColumnTexts{{
    {msg::layer, msg::module_or_annotation_of_the_layer},
    {msg::relative_time, msg::median_over_passes_of_the_time},
    {msg::forward_pass, msg::kernels_of_the_forward_pass_summed},
    {msg::backward_pass, msg::kernels_of_the_backward_pass_summed},
    {msg::recomputed, msg::kernels_of_recomputation_summed},
    {msg::communication, msg::collectives_launched_within_the_layer},
    {msg::idle, msg::idle_time_between_first_and_last_kernel},
    {msg::kernels, msg::kernels_without_collectives},
    {msg::flop, msg::flop_of_counted_operators_in_the_layer},
    {msg::kept_memory, msg::bytes_allocated_and_not_freed_in_the_layer},
}};

std::int64_t phase_ns(const LayerFigures& row, LayerPhase phase) {
  return row.work_ns[static_cast<std::size_t>(phase)].value_or(-1);
}

/// Value by which a column is sorted.
double sort_value(const LayerFigures& row, ListColumn column) {
  switch (column) {
    case ListColumn::layer:
    case ListColumn::passes:
      break;
    case ListColumn::effect:
      return static_cast<double>(row.effect.value_or(-1));
    case ListColumn::forward:
      return static_cast<double>(phase_ns(row, LayerPhase::forward));
    case ListColumn::backward:
      return static_cast<double>(phase_ns(row, LayerPhase::backward));
    case ListColumn::recompute:
      return static_cast<double>(phase_ns(row, LayerPhase::recompute));
    case ListColumn::communication:
      return static_cast<double>(row.communication_ns);
    case ListColumn::idle:
      return static_cast<double>(row.idle_ns);
    case ListColumn::kernels:
      return static_cast<double>(row.kernels);
    case ListColumn::flop:
      return row.flop;
    case ListColumn::memory:
      return row.kept_bytes ? static_cast<double>(*row.kept_bytes) : -1;
  }
  return row.layer;
}

class LayersList {
 public:
  explicit LayersList(LayersState& state) : state_(state), rows_(state.view().layers) {
    for (const LayerGrid& grid : state.view().grids) passes_ += grid.passes();
    // One unit per column. The first rows are enough, since layers of a stack are alike.
    constexpr std::size_t kMostMeasured = 500;
    std::vector<std::int64_t> times(std::min(rows_.size(), kMostMeasured));
    for (const ListColumn column : {ListColumn::forward, ListColumn::backward, ListColumn::recompute,
                                    ListColumn::communication, ListColumn::idle}) {
      for (std::size_t i = 0; i < times.size(); ++i)
        times[i] = static_cast<std::int64_t>(sort_value(rows_[i], column));
      formats_[static_cast<std::size_t>(column)] = TimeColumn::of(times);
    }
  }

  void draw() {
    const Box& box = state_.boxes.table;
    const float em = ImGui::GetFontSize();
    ImDrawList& outer = *ImGui::GetWindowDrawList();
    outer.AddLine({box.left, box.top + 0.5F}, {box.right, box.top + 0.5F}, state_.theme.border);
    const float note = 1.7F * em;
    ImGui::SetCursorScreenPos({box.left + state_.px(8), box.top + state_.px(4)});
    const ImVec2 size{box.width() - state_.px(16), std::max(1.0F, box.height() - state_.px(8) - note)};
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_Resizable |
                                       ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings |
                                       ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
    if (!ImGui::BeginTable("layers", kListColumns, kFlags, size)) return;
    draw_headers();
    sort_rows();
    scroll_to_selection();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(state_.order.size()), table_row_height());
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
        draw_row(rows_[state_.order[static_cast<std::size_t>(i)]]);
    }
    ImGui::EndTable();
    ImGui::SetCursorScreenPos({box.left + state_.px(14), box.bottom - note});
    fitted_text(state_.theme.text_dim, tr(Text::layers_table_note));
  }

 private:
  void draw_headers() {
    const float em = ImGui::GetFontSize();
    for (int i = 0; i < kListColumns; ++i) {
      const bool spark = i == kListColumns - 1;
      ImGuiTableColumnFlags flags = spark ? ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_NoSort
                                          : ImGuiTableColumnFlags_WidthFixed;
      if (i > 0 && !spark) flags |= ImGuiTableColumnFlags_PreferSortDescending;
      const float least = (i == 0 ? 11.0F : 5.0F) * em;
      const float width = spark ? 0 : std::max(least, text_width(title_of(i)) + 1.2F * em);
      ImGui::TableSetupColumn(title_of(i).c_str(), flags, width, static_cast<ImGuiID>(i));
    }
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (int i = 0; i < kListColumns; ++i) {
      if (!ImGui::TableSetColumnIndex(i)) continue;
      ImGui::TableHeader(title_of(i).c_str());
      if (ImGui::IsItemHovered()) wrapped_tooltip(definition_of(i));
    }
  }

  static std::string title_of(int column) {
    return column == kListColumns - 1 ? std::string(tr(Text::layers_sparkline))
                                      : in_language(kColumnTexts[static_cast<std::size_t>(column)].title);
  }

  /// Returns the definition of a column. Definitions of times speak of sums, so the text adds that this list
  /// shows medians over the passes. The relative time is a difference here, not the quotient of the tables.
  static std::string definition_of(int column) {
    if (column == kListColumns - 1) return tr(Text::layers_sparkline_hint);
    if (column == static_cast<int>(ListColumn::effect)) return tr(Text::layers_table_note);
    const std::string words = in_language(kColumnTexts[static_cast<std::size_t>(column)].definition);
    return column < static_cast<int>(ListColumn::forward) ? words
                                                          : words + "\n" + tr(Text::layers_median_of_passes);
  }

  void sort_rows() {
    ImGuiTableSortSpecs* const specs = ImGui::TableGetSortSpecs();
    if (specs == nullptr || (!specs->SpecsDirty && state_.order.size() == rows_.size())) return;
    specs->SpecsDirty = false;
    state_.order.resize(rows_.size());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) state_.order[i] = i;
    if (specs->SpecsCount == 0) return;
    const ImGuiTableColumnSortSpecs& by = specs->Specs[0];
    const auto column = static_cast<ListColumn>(by.ColumnUserID);
    const bool descending = by.SortDirection == ImGuiSortDirection_Descending;
    std::ranges::stable_sort(state_.order, [&](std::uint32_t a, std::uint32_t b) {
      const double first = sort_value(rows_[a], column);
      const double second = sort_value(rows_[b], column);
      return descending ? first > second : first < second;
    });
  }

  void scroll_to_selection() {
    if (!std::exchange(state_.reveal, false) || !state_.selected) return;
    const auto found = std::ranges::find(state_.order, state_.selected->layer,
                                         [&](std::uint32_t row) { return rows_[row].layer; });
    if (found == state_.order.end()) return;
    const float top = static_cast<float>(found - state_.order.begin()) * table_row_height();
    const float seen = ImGui::GetWindowHeight() - 3 * table_row_height();
    if (top < ImGui::GetScrollY() || top > ImGui::GetScrollY() + seen)
      ImGui::SetScrollY(std::max(0.0F, top - seen / 2));
  }

  void draw_row(const LayerFigures& row) {
    const bool selected = state_.selected && state_.selected->layer == row.layer;
    const bool slow = is_slow(row.layer);
    ImGui::TableNextRow();
    ImGui::PushID(static_cast<int>(row.layer));
    ImGui::TableSetColumnIndex(0);
    constexpr ImGuiSelectableFlags kFlags =
        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;
    if (ImGui::Selectable("##layer", selected, kFlags)) {
      const std::size_t grid = state_.selected ? state_.selected->grid : 0;
      state_.choose(LayerChoice{grid, row.layer, std::nullopt});
      state_.reveal = false;
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) state_.open_selection();
    }
    ImGui::SameLine(0, 0);
    const std::uint32_t color = slow ? excess_color(state_.theme) : state_.theme.text;
    fitted_text(color, layer_text(state_, row.layer));
    draw_figure(ListColumn::effect, color, row.effect ? deviation_text(*row.effect - 1000) : std::string());
    for (const auto& [column, phase] : {std::pair{ListColumn::forward, LayerPhase::forward},
                                        std::pair{ListColumn::backward, LayerPhase::backward},
                                        std::pair{ListColumn::recompute, LayerPhase::recompute}})
      draw_time(column, row.work_ns[static_cast<std::size_t>(phase)].value_or(0));
    draw_time(ListColumn::communication, row.communication_ns);
    draw_time(ListColumn::idle, row.idle_ns);
    draw_figure(ListColumn::kernels, state_.theme.text,
                grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.kernels))));
    draw_known(ListColumn::flop, row.flop > 0, number_text(Unit::flop, row.flop), Text::layers_no_shapes);
    draw_known(ListColumn::memory, row.kept_bytes.has_value(), bytes_text(row.kept_bytes.value_or(0)),
               Text::layers_not_recorded);
    if (ImGui::TableSetColumnIndex(static_cast<int>(ListColumn::passes))) draw_sparkline(row.layer);
    ImGui::PopID();
  }

  bool is_slow(std::uint32_t layer) const {
    return std::ranges::any_of(state_.view().outliers, [&](const LayerOutlier& outlier) {
      return !outlier.pass && outlier.layer == layer;
    });
  }

  static std::string bytes_text(std::int64_t bytes) {
    return (bytes < 0 ? "-" : "") + text_from_bytes(std::abs(static_cast<double>(bytes)));
  }

  static void draw_figure(ListColumn column, std::uint32_t color, const std::string& words) {
    if (ImGui::TableSetColumnIndex(static_cast<int>(column))) right_aligned_text(color, words);
  }
  void draw_time(ListColumn column, std::int64_t ns) const {
    draw_figure(column, ns == 0 ? state_.theme.text_dim : state_.theme.text,
                ns == 0 ? "0" : time_text_in(formats_[static_cast<std::size_t>(column)], ns));
  }
  void draw_known(ListColumn column, bool known, const std::string& words, Text unknown) const {
    draw_figure(column, known ? state_.theme.text : state_.theme.text_dim, known ? words : tr(unknown));
  }

  /// Draws one bar per pass and phase: its deviation from the median of the pass. If passes share a pixel,
  /// the largest deviation is drawn.
  void draw_sparkline(std::uint32_t layer) const {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight();
    const float gap = 0.8F * ImGui::GetFontSize();
    const auto grids = static_cast<float>(state_.view().grids.size());
    const float width = ImGui::GetContentRegionAvail().x - gap * grids;
    const float bar =
        std::min(width / static_cast<float>(std::max(1U, passes_)), 0.8F * ImGui::GetFontSize());
    if (bar <= 0) return;
    float left = at.x;
    for (const LayerGrid& grid : state_.view().grids) {
      float column = -1;
      std::int64_t most = 0;
      const auto flush = [&] {
        if (column >= 0) draw_bar(list, {left + column, at.y}, std::max(1.0F, bar - 1), height, most);
      };
      for (const std::uint32_t index : grid.of_layer(layer)) {
        const LayerCell& cell = grid.cells()[index];
        if (cell.odd) continue;
        const float x = std::floor(bar * static_cast<float>(cell.pass));
        if (x > column) {
          flush();
          column = x;
          most = cell.deviation;
        }
        most = std::max(most, cell.deviation);
      }
      flush();
      left += bar * static_cast<float>(grid.passes()) + gap;
    }
  }

  void draw_bar(ImDrawList& list, ImVec2 at, float width, float height, std::int64_t deviation) const {
    constexpr double kFullHeight = 500;  // per mille
    const double share = std::clamp(static_cast<double>(deviation) / kFullHeight, 0.0, 1.0);
    const float top = at.y + height - std::max(1.0F, std::floor(static_cast<float>(share) * height));
    const std::uint32_t color =
        deviation > kSlowDeviation ? excess_color(state_.theme) : body_color(BodyKind::matrix, state_.theme);
    list.AddRectFilled({at.x, top}, {at.x + width, at.y + height}, color);
  }

  LayersState& state_;
  const std::vector<LayerFigures>& rows_;
  std::uint32_t passes_ = 0;                                     // of all grids
  std::array<std::optional<TimeColumn>, kListColumns> formats_;  // of times
};

}  // namespace

void draw_layers_list(LayersState& state) { LayersList(state).draw(); }

}  // namespace kino
