#include "app/pages/layers/layers_state.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/oklch.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/layers/layer_table.hpp"
#include "core/tables/operators/module_anchors.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostComparedCopies = 256;  // passes of a selected layer, for a fast click

/// At most kMostComparedCopies copies of a layer, evenly spaced over its passes.
std::vector<std::uint32_t> spaced_copies(const LayerGrid& grid, std::uint32_t layer) {
  const std::span<const std::uint32_t> cells = grid.of_layer(layer);
  const std::size_t count = std::min(cells.size(), kMostComparedCopies);
  std::vector<std::uint32_t> copies;
  for (std::size_t i = 0; i < count; ++i)
    copies.push_back(grid.cells()[cells[i * cells.size() / count]].copy);
  return copies;
}

bool same_step(const LayerPass& a, const LayerPass& b) { return a.step == b.step; }

/// First pass of the next step (+1) or the previous one (-1); nullopt at the ends.
std::optional<std::uint32_t> pass_of_step(const std::vector<LayerPass>& passes, std::uint32_t pass, int by) {
  const auto count = static_cast<std::uint32_t>(passes.size());
  std::uint32_t first = pass;
  while (first > 0 && same_step(passes[first - 1], passes[pass])) --first;
  if (by > 0) {
    std::uint32_t next = pass;
    while (next < count && same_step(passes[next], passes[pass])) ++next;
    return next < count ? std::optional(next) : std::nullopt;
  }
  if (first == 0) return std::nullopt;
  std::uint32_t before = first - 1;
  while (before > 0 && same_step(passes[before - 1], passes[first - 1])) --before;
  return before;
}

}  // namespace

std::shared_ptr<const LayersContent> layers_content(const std::shared_ptr<const Trace>& trace,
                                                    LayerSource wanted, const std::stop_token& stop) {
  auto made = std::make_shared<LayersContent>();
  const RangeAnalysis parts(*trace, whole_range(*trace));
  made->trace = trace;
  made->has_modules = module_source(*trace) == ModuleSource::python;
  made->folded = fold_layers(parts, wanted, stop);
  if (stop.stop_requested()) return made;
  const LayerFold& fold = made->folded.fold;
  made->views = layer_views(*trace, fold, stop);
  made->kinds = body_kinds(*trace, fold, parts.work_rules());
  made->verdict = layer_verdict(fold);
  for (const LayerView& view : made->views) {
    std::vector<Message>& notes = made->notes.emplace_back(fold_notes(made->folded, view.stack));
    // The bar contains these facts.
    std::erase_if(notes, [](const Message& note) {
      return note.id() == msg::stack_was_folded || note.id() == msg::parts_were_folded ||
             note.id() == msg::share_of_time_in_layers || note.id() == msg::share_of_time_in_alike_parts;
    });
  }
  return made;
}

void LayersState::take(std::shared_ptr<const LayersContent> made) {
  content = std::move(made);
  choose_view(0);
}

void LayersState::choose_view(std::size_t wanted_view) {
  view_index = wanted_view;
  order.clear();
  images.clear();
  hovered.reset();
  choose(std::nullopt);
}

void LayersState::choose(std::optional<LayerChoice> wanted_choice) {
  selected = wanted_choice;
  outlier.reset();
  reveal = selected.has_value();
  compared.clear();
  if (has_layers()) compare();
}

ComparedLayer LayersState::row_of(const LayerChoice& choice) const {
  const std::vector<LayerGrid>& grids = view().grids;
  ComparedLayer row{choice, {}};
  for (const LayerGrid& grid : grids) {
    std::vector<std::uint32_t> copies;
    if (!choice.pass) {
      copies = spaced_copies(grid, choice.layer);
    } else if (const auto pass = matching_pass(fold(), grids[choice.grid], *choice.pass, grid)) {
      if (const LayerCell* cell = grid.find(choice.layer, *pass)) copies.push_back(cell->copy);
    }
    row.bodies.push_back(body_of(trace(), fold(), stack_of(grid), copies));
  }
  return row;
}

/// Adds the slowest layer and the selection to `compared`. If nothing or the slowest layer is selected, adds
/// the slowest copy instead of the selection.
void LayersState::compare() {
  const std::vector<LayerOutlier>& outliers = view().outliers;
  if (!view().slowest.empty())
    compared.push_back({{outliers.front().grid, outliers.front().layer, std::nullopt}, view().slowest});
  const bool shown =
      selected && !selected->pass && !compared.empty() && compared.front().choice.layer == selected->layer;
  if (selected && !shown) return compared.push_back(row_of(*selected));
  const auto cell =
      std::ranges::find_if(outliers, [](const LayerOutlier& each) { return each.pass.has_value(); });
  if (cell != outliers.end()) compared.push_back(row_of({cell->grid, cell->layer, cell->pass}));
}

void LayersState::step_outlier(int by) {
  if (!has_layers() || view().outliers.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(view().outliers.size());
  const std::ptrdiff_t before = outlier ? static_cast<std::ptrdiff_t>(*outlier) : (by > 0 ? -1 : 0);
  const auto next = static_cast<std::size_t>((before + by + count) % count);
  const LayerOutlier& shown = view().outliers[next];
  choose(LayerChoice{shown.grid, shown.layer, shown.pass});
  outlier = next;
}

std::optional<LayerChoice> LayersState::start_choice() const {
  const LayerView& shown = view();
  if (!shown.outliers.empty()) {
    const LayerOutlier& first = shown.outliers.front();
    return LayerChoice{first.grid, first.layer, first.pass};
  }
  for (std::size_t i = 0; i < shown.grids.size(); ++i) {
    if (shown.grids[i].cells().empty()) continue;
    const LayerCell& first = shown.grids[i].cells().front();
    return LayerChoice{i, first.layer, first.pass};
  }
  return std::nullopt;
}

void LayersState::step_layer(int by) {
  if (!has_layers()) return;
  if (!selected) return choose(start_choice());
  const LayerGrid& grid = view().grids[selected->grid];
  if (!selected->pass) {
    const std::vector<LayerFigures>& rows = view().layers;
    const auto at = std::ranges::lower_bound(rows, selected->layer, {}, &LayerFigures::layer);
    const auto next = std::clamp<std::ptrdiff_t>(at - rows.begin() + by, 0, std::ssize(rows) - 1);
    return choose(LayerChoice{selected->grid, rows[static_cast<std::size_t>(next)].layer, std::nullopt});
  }
  const std::span<const LayerCell> cells = grid.of_pass(*selected->pass);
  if (cells.empty()) return;
  const auto at = std::ranges::lower_bound(cells, selected->layer, {}, &LayerCell::layer);
  const auto next = std::clamp<std::ptrdiff_t>(at - cells.begin() + by, 0, std::ssize(cells) - 1);
  choose(LayerChoice{selected->grid, cells[static_cast<std::size_t>(next)].layer, selected->pass});
}

void LayersState::step_pass(int by) {
  if (!has_layers()) return;
  if (!selected) return choose(start_choice());
  const std::vector<LayerGrid>& grids = view().grids;
  // Without a selected pass, the first step enters the grid at its near end.
  const auto position_of = [&](std::size_t grid) -> std::ptrdiff_t {
    const std::span<const std::uint32_t> row = grids[grid].of_layer(selected->layer);
    if (!selected->pass || grid != selected->grid) return by > 0 ? 0 : std::ssize(row) - 1;
    const auto at = std::ranges::lower_bound(
        row, *selected->pass, {}, [&](std::uint32_t cell) { return grids[grid].cells()[cell].pass; });
    return at - row.begin() + by;
  };
  for (std::size_t i = selected->grid; i < grids.size(); i += static_cast<std::size_t>(by)) {
    const std::span<const std::uint32_t> row = grids[i].of_layer(selected->layer);
    const std::ptrdiff_t at = position_of(i);
    if (at < 0 || at >= std::ssize(row)) continue;
    const LayerCell& cell = grids[i].cells()[row[static_cast<std::size_t>(at)]];
    return choose(LayerChoice{i, cell.layer, cell.pass});
  }
}

void LayersState::step_step(int by) {
  if (!has_layers()) return;
  if (!selected || !selected->pass) {
    if (selected) return step_pass(by);
    return choose(start_choice());
  }
  const LayerGrid& grid = view().grids[selected->grid];
  const auto pass = pass_of_step(stack_of(grid).passes, *selected->pass, by);
  if (pass) choose(LayerChoice{selected->grid, selected->layer, pass});
}

void LayersState::open_selection() {
  if (!has_layers()) return;
  const std::optional<LayerChoice> shown = selected ? selected : start_choice();
  if (!shown) return;
  const LayerGrid& grid = view().grids[shown->grid];
  const std::vector<LayerCopy>& copies = stack_of(grid).copies;
  const LayerCell* found = nullptr;
  if (shown->pass) {
    found = grid.find(shown->layer, *shown->pass);
  } else {
    for (const std::uint32_t index : grid.of_layer(shown->layer)) {
      const LayerCell& cell = grid.cells()[index];
      if (found == nullptr || copies[cell.copy].cost.work_ns > copies[found->copy].cost.work_ns)
        found = &cell;
    }
  }
  if (found == nullptr) return;
  const LayerCopy& copy = copies[found->copy];
  requests.emplace_back(ShowRange{copy.span, fold().kernels[copy.first]});
}

void place_layers(LayersState& state, const Box& all) {
  const float em = ImGui::GetFontSize();
  LayersBoxes& boxes = state.boxes;
  boxes.all = all;
  boxes.bar = {all.left, ImGui::GetCursorScreenPos().y, all.right, 0};
  boxes.bar.bottom = boxes.bar.top + std::floor(2.1F * em);
  const float rest = all.bottom - boxes.bar.bottom;
  const float split = all.bottom - std::floor(std::clamp(rest * 0.36F, 8 * em, 20 * em));
  const float middle = std::floor(all.left + all.width() * 0.37F);
  boxes.heat = {all.left, boxes.bar.bottom, middle, split};
  boxes.lane = {middle, boxes.bar.bottom, all.right, split};
  boxes.table = {all.left, split, all.right, all.bottom};
}

std::string layer_text(const LayersState& state, std::uint32_t layer) {
  const Message name = module_of(state.stack(), layer);
  const std::string text = in_language(name);
  return text.empty() ? filled(Text::layers_layer, {std::to_string(layer)}) : escaped(text);
}

std::string deviation_text(std::int64_t per_mille_above) {
  return formatted("%+.1f %%", static_cast<double>(per_mille_above) / 10);
}

const char* fold_source_text(LayerSource source) {
  switch (source) {
    case LayerSource::modules:
      return tr(Text::layers_modules);
    case LayerSource::annotations:
      return tr(Text::layers_annotations);
    case LayerSource::names:
      return tr(Text::layers_names);
    case LayerSource::alike:
      return tr(Text::layers_alike);
    case LayerSource::none:
      break;
  }
  return tr(Text::layers_automatic);
}

std::uint32_t deviation_color(std::int64_t deviation, const Theme& theme) {
  if (deviation <= kSlowDeviation) {
    // Few shades, so that neighbors of nearly equal time look equal.
    const std::int64_t step = (std::clamp<std::int64_t>(deviation, -49, 50) + 50) / 20;
    const double shade = static_cast<double>(step) / 5;
    return packed_color({theme.dark ? 0.31 + 0.08 * shade : 0.90 - 0.08 * shade, 0.05, 250});
  }
  const double amount = std::min(1.0, static_cast<double>(deviation - kSlowDeviation) / 450);
  return packed_color({theme.dark ? 0.60 + 0.20 * amount : 0.80 - 0.18 * amount, 0.14, 60});
}

std::uint32_t body_color(BodyKind kind, const Theme& theme) {
  constexpr std::array<Lch, kBodyKinds> kColors{
      Lch{0.70, 0.14, 254}, {0.68, 0.14, 300}, {0.86, 0.11, 95}, {0.76, 0.11, 165}, {0.66, 0.02, 262}};
  Lch color = kColors[static_cast<std::size_t>(kind)];
  if (!theme.dark) color.lightness -= 0.04;
  return packed_color(color);
}

void draw_part_title(const LayersState& state, const Box& box, const char* title, const char* note,
                     const char* explanation) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float em = ImGui::GetFontSize();
  const float left = box.left + state.px(14);
  const float y = std::floor(box.top + 0.5F * em);
  const float used = draw_elided(list, {left, y}, box.width() - state.px(28), state.theme.text, title);
  const float room = box.right - state.px(14) - (left + used + em);
  if (room > 8 * em) draw_elided(list, {left + used + em, y}, room, state.theme.text_dim, note);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Box over{left, y, box.right, y + 1.3F * em};
  if (over.contains(mouse.x, mouse.y) && ImGui::IsWindowHovered()) wrapped_tooltip(explanation);
}

}  // namespace kino
