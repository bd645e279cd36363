#include "app/pages/layers/heat_strip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/layers/layer_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/saturating.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

/// Index of the part that contains item `index`, if `count` items are divided into `parts`.
std::uint32_t merged_index(std::uint32_t index, std::uint32_t count, std::uint32_t parts) {
  return static_cast<std::uint32_t>(std::uint64_t{index} * parts / std::max(1U, count));
}

/// First item of a part; the inverse of merged_index().
std::uint32_t first_merged(std::uint32_t part, std::uint32_t count, std::uint32_t parts) {
  return static_cast<std::uint32_t>((std::uint64_t{part} * count + parts - 1) / std::max(1U, parts));
}

/// Distance of row labels: 1, 2, 4, 5 or 8 times a power of ten.
std::uint32_t label_distance(double least) {
  constexpr std::uint32_t kMostPower = 100'000'000;
  for (std::uint32_t power = 1; power <= kMostPower; power *= 10) {
    for (const std::uint32_t factor : {1U, 2U, 4U, 5U, 8U}) {
      if (factor * power >= least) return factor * power;
    }
  }
  return 1'000'000'000;
}

class HeatStrip {
 public:
  HeatStrip(ImDrawList& list, LayersState& state) : list_(list), state_(state), view_(state.view()) {
    const Box& box = state.boxes.heat;
    const float em = ImGui::GetFontSize();
    for (const LayerGrid& grid : view_.grids) {
      layers_ = std::max(layers_, grid.layers());
      passes_ += grid.passes();
    }
    left_ = box.left + state.px(14) + 3.4F * em;
    top_ = box.top + 4.6F * em;
    const float height = std::max(1.0F, box.bottom - state.px(8) - top_);
    const float gaps = static_cast<float>(view_.grids.size() - 1) * kGapEm * em;
    width_ = std::max(1.0F, box.right - state.px(14) - left_ - gaps);
    const float least = state.px(kLeastCellPx);
    rows_ = std::clamp(static_cast<std::uint32_t>(height / least), 1U, std::max(1U, layers_));
    cell_height_ = std::min(height / static_cast<float>(rows_), 1.8F * em);
    place_grids(least);
  }

  void draw() {
    const Box& box = state_.boxes.heat;
    list_.PushClipRect(left_top(box), right_bottom(box), true);
    draw_labels();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      draw_cells(i);
      draw_steps(i);
      draw_selection(i);
    }
    list_.PopClipRect();
    handle_mouse();
  }

 private:
  static constexpr float kLeastCellPx = 3;
  static constexpr float kGapEm = 2;

  struct Place {
    float left = 0;
    float cell_width = 1;
  };

  const LayerGrid& grid(std::size_t i) const { return view_.grids[i]; }
  const HeatImage& image(std::size_t i) const { return state_.images[i]; }
  float y_of_row(std::uint32_t row) const {
    return std::floor(top_ + static_cast<float>(row) * cell_height_);
  }
  float x_of_column(std::size_t i, std::uint32_t column) const {
    return std::floor(places_[i].left + static_cast<float>(column) * places_[i].cell_width);
  }
  std::uint32_t row_of_layer(std::uint32_t layer) const { return merged_index(layer, layers_, rows_); }
  std::uint32_t column_of_pass(std::size_t i, std::uint32_t pass) const {
    return merged_index(pass, grid(i).passes(), image(i).columns);
  }

  /// Places the grids, each with a width proportional to its number of passes, and updates their images.
  void place_grids(float least) {
    const float em = ImGui::GetFontSize();
    state_.images.resize(view_.grids.size());
    float left = left_;
    for (std::size_t i = 0; i < view_.grids.size(); ++i) {
      const LayerGrid& shown = grid(i);
      const float share = static_cast<float>(shown.passes()) / static_cast<float>(std::max(1U, passes_));
      const float width = std::max(least, width_ * share);
      const std::uint32_t columns =
          std::clamp(static_cast<std::uint32_t>(width / least), 1U, std::max(1U, shown.passes()));
      HeatImage& made = state_.images[i];
      if (made.columns != columns || made.rows != rows_) made = heat_image(shown, layers_, columns, rows_);
      places_.push_back({left, std::min(width / static_cast<float>(columns), (columns > 2 ? 3 : 6) * em)});
      left += std::min(width, places_.back().cell_width * static_cast<float>(columns)) + kGapEm * em;
    }
  }

  void draw_labels() {
    const float em = ImGui::GetFontSize();
    const float right = left_ - 0.6F * em;
    const std::vector<std::uint32_t> slow = slow_layers();
    const auto draw_label = [&](std::uint32_t layer, std::uint32_t color) {
      const std::string words = std::to_string(layer);
      const float y = y_of_row(row_of_layer(layer)) + (cell_height_ - em) / 2;
      list_.AddText({std::floor(right - text_width(words)), std::floor(y)}, color, words.c_str());
    };
    float last_slow = -1e9F;
    std::vector<float> taken;
    for (const std::uint32_t layer : slow) {
      const float y = y_of_row(row_of_layer(layer));
      if (y - last_slow < 1.1F * em) continue;
      draw_label(layer, excess_color(state_.theme));
      taken.push_back(last_slow = y);
    }
    const double per_layer = static_cast<double>(cell_height_) * rows_ / std::max(1U, layers_);
    const std::uint32_t step = label_distance(1.3 * static_cast<double>(em) / std::max(1e-9, per_layer));
    for (std::uint64_t layer = 0; layer < layers_; layer += step) {
      const float y = y_of_row(row_of_layer(static_cast<std::uint32_t>(layer)));
      const bool crowded =
          std::ranges::any_of(taken, [&](float other) { return std::abs(other - y) < 1.1F * em; });
      if (!crowded) draw_label(static_cast<std::uint32_t>(layer), state_.theme.text_dim);
    }
  }

  /// Slow layers of all grids, in order.
  std::vector<std::uint32_t> slow_layers() const {
    std::vector<std::uint32_t> slow;
    for (const LayerOutlier& outlier : view_.outliers) {
      if (!outlier.pass) slow.push_back(outlier.layer);
    }
    std::ranges::sort(slow);
    return slow;
  }

  std::uint32_t color_of(std::size_t i, const HeatImage::Cell& cell) const {
    if (cell.index == HeatImage::kMissing) return 0;
    const LayerCell& shown = grid(i).cells()[cell.index];
    return deviation_color(shown.deviation, state_.theme);
  }

  void draw_cells(std::size_t i) {
    const HeatImage& shown = image(i);
    const float gap = places_[i].cell_width >= state_.px(5) ? 1.0F : 0.0F;
    const float row_gap = cell_height_ >= state_.px(5) ? 1.0F : 0.0F;
    for (std::uint32_t row = 0; row < shown.rows; ++row) {
      const float y = y_of_row(row);
      const float bottom = std::max(y + 1, y_of_row(row + 1) - row_gap);
      for (std::uint32_t column = 0; column < shown.columns;) {
        const HeatImage::Cell& cell = shown.cells[std::size_t{row} * shown.columns + column];
        const std::uint32_t color = color_of(i, cell);
        std::uint32_t end = column + 1;
        // Cells without gaps between them are drawn together if they have one color.
        while (gap == 0 && end < shown.columns) {
          const HeatImage::Cell& next = shown.cells[std::size_t{row} * shown.columns + end];
          if (color_of(i, next) != color || next.odd != cell.odd) break;
          ++end;
        }
        const ImVec2 from{x_of_column(i, column), y};
        const ImVec2 to{std::max(from.x + 1, x_of_column(i, end) - gap), bottom};
        if (color != 0) list_.AddRectFilled(from, to, color);
        if (cell.odd) draw_hatching(list_, from, to, state_.theme.text_dim, state_.scale);
        column = end;
      }
    }
  }

  /// Draws the name of the phase, and a line with a number at the start of each step.
  void draw_steps(std::size_t i) {
    const float em = ImGui::GetFontSize();
    const HeatImage& shown = image(i);
    const std::vector<LayerPass>& passes = state_.stack_of(grid(i)).passes;
    const float right = x_of_column(i, shown.columns);
    const float name_room = std::max(right - places_[i].left, 5 * em);
    draw_elided(list_, {places_[i].left, top_ - 2.6F * em}, name_room, state_.theme.text,
                phase_text(grid(i).phase()));
    float labels_end = -1e9F;
    for (std::uint32_t column = 0; column < shown.columns; ++column) {
      const std::uint32_t pass = first_merged(column, grid(i).passes(), shown.columns);
      if (pass >= passes.size() || !passes[pass].step) continue;
      const std::uint32_t before =
          column == 0 ? 0 : first_merged(column - 1, grid(i).passes(), shown.columns);
      if (column > 0 && passes[before].step == passes[pass].step) continue;
      const float x = x_of_column(i, column) - 0.5F;
      if (x < labels_end) continue;
      list_.AddLine({x, top_ - 1.2F * em}, {x, y_of_row(shown.rows)}, with_alpha(state_.theme.text_dim, 120));
      const std::string words = std::to_string(*passes[pass].step);
      list_.AddText({x + state_.px(3), std::floor(top_ - 1.3F * em)}, state_.theme.text_dim, words.c_str());
      labels_end = x + text_width(words) + state_.px(8);
    }
  }

  void draw_selection(std::size_t i) {
    if (!state_.selected || (state_.selected->pass && state_.selected->grid != i)) return;
    const LayerChoice& choice = *state_.selected;
    if (choice.layer >= grid(i).layers()) return;
    const float y = y_of_row(row_of_layer(choice.layer));
    const float bottom = std::max(y_of_row(row_of_layer(choice.layer) + 1), y + state_.px(3));
    const std::uint32_t first = choice.pass ? column_of_pass(i, *choice.pass) : 0;
    const std::uint32_t end = choice.pass ? first + 1 : image(i).columns;
    list_.AddRect({x_of_column(i, first) - 1, y - 1}, {x_of_column(i, end), bottom}, state_.theme.text, 0, 0,
                  std::max(1.0F, state_.px(1.5F)));
  }

  void handle_mouse() {
    place_button("heat", state_.boxes.heat);
    if (!ImGui::IsItemHovered()) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const HeatImage& shown = image(i);
      const Box area{places_[i].left, top_, x_of_column(i, shown.columns), y_of_row(shown.rows)};
      if (!area.contains(mouse.x, mouse.y)) continue;
      const auto column = std::min(shown.columns - 1,
                                   static_cast<std::uint32_t>((mouse.x - area.left) / places_[i].cell_width));
      const auto row =
          std::min(shown.rows - 1, static_cast<std::uint32_t>((mouse.y - area.top) / cell_height_));
      const HeatImage::Cell& cell = shown.cells[std::size_t{row} * shown.columns + column];
      if (cell.index == HeatImage::kMissing) return;
      const LayerCell& copy = grid(i).cells()[cell.index];
      if (ImGui::IsItemClicked()) state_.choose(LayerChoice{i, copy.layer, copy.pass});
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) state_.open_selection();
      draw_card(i, copy);
      return;
    }
  }

  /// Draws the tooltip of a copy.
  void draw_card(std::size_t i, const LayerCell& cell) {
    const LayerStack& stack = state_.stack_of(grid(i));
    const LayerCopy& copy = stack.copies[cell.copy];
    if (!state_.hovered || state_.hovered->grid != i || state_.hovered->copy != cell.copy) {
      state_.hovered =
          HoveredCopy{i, cell.copy, body_of(state_.trace(), state_.fold(), stack, {&cell.copy, 1})};
    }
    ImGui::BeginTooltip();
    colored_text(state_.theme.text,
                 layer_text(state_, cell.layer) + " \u00b7 " + pass_text(stack, cell.pass));
    const std::int64_t median_ns = grid(i).median_ns(cell.pass);
    const std::string phase = phase_text(grid(i).phase());
    colored_text(state_.theme.text, phase + ": " + text_from_duration(copy.cost.work_ns));
    if (cell.odd) {
      colored_text(state_.theme.text_dim, tr(Text::layers_odd_copy));
    } else if (median_ns > 0) {
      colored_text(
          cell.deviation > kSlowDeviation ? excess_color(state_.theme) : state_.theme.text,
          filled(Text::layers_against_pass, {deviation_text(cell.deviation), text_from_duration(median_ns)}));
    }
    draw_difference(i);
    ImGui::EndTooltip();
  }

  /// Draws the kernel of the hovered copy that differs most from the typical layer.
  void draw_difference(std::size_t i) {
    const LayerBody& body = view_.bodies[i];
    const std::optional<std::size_t> most = most_different_kernel(state_.hovered->body, body);
    if (!most) return;
    const BodyKernel& kernel = state_.hovered->body.kernels[*most];
    const std::int64_t difference_ns = saturating_subtract(kernel.median_ns, body.kernels[*most].median_ns);
    if (difference_ns == 0) return;
    const std::string name = escaped(cut_text(short_name(state_.trace().name_of(kernel.longest)), 60));
    const std::string sign = difference_ns < 0 ? "-" : "+";
    const std::int64_t length_ns = difference_ns < 0 ? saturating_subtract(0, difference_ns) : difference_ns;
    colored_text(state_.theme.text_dim,
                 filled(Text::layers_differs_most, {name, sign + text_from_duration(length_ns)}));
  }

  ImDrawList& list_;
  LayersState& state_;
  const LayerView& view_;
  std::uint32_t layers_ = 0;
  std::uint32_t passes_ = 0;  // of all grids
  std::uint32_t rows_ = 1;
  float left_ = 0;
  float top_ = 0;
  float width_ = 1;  // of all grids together
  float cell_height_ = 1;
  std::vector<Place> places_;  // by grid
};

}  // namespace

HeatImage heat_image(const LayerGrid& grid, std::uint32_t layers, std::uint32_t columns, std::uint32_t rows) {
  HeatImage image{columns, rows, {}};
  image.cells.resize(std::size_t{columns} * rows);
  const std::span<const LayerCell> cells = grid.cells();
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    const std::uint32_t row = merged_index(cells[i].layer, layers, rows);
    const std::uint32_t column = merged_index(cells[i].pass, grid.passes(), columns);
    HeatImage::Cell& cell = image.cells[std::size_t{row} * columns + column];
    cell.odd = cell.odd || cells[i].odd;
    // An odd copy has no deviation; it is shown only if no other copy shares the cell.
    const bool first = cell.index == HeatImage::kMissing || cells[cell.index].odd;
    if (first || (!cells[i].odd && cells[i].deviation > cells[cell.index].deviation)) cell.index = i;
  }
  return image;
}

void draw_heat_strip(ImDrawList& list, LayersState& state) {
  const Box& box = state.boxes.heat;
  draw_part_title(state, box, tr(state.alike_text(Text::layers_heat_title, Text::layers_alike_title)),
                  tr(Text::layers_heat_note), tr(Text::layers_heat_hint));
  list.AddLine({box.right - 0.5F, box.top + state.px(8)}, {box.right - 0.5F, box.bottom - state.px(8)},
               state.theme.border);
  HeatStrip(list, state).draw();
}

}  // namespace kino
