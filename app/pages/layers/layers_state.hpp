// State shared by the parts of the layers page: positions, content, and the selected layer or copy.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/ui/drawer/page_request.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/layers/layer_fold.hpp"
#include "core/tables/layers/layer_profile.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct LayersBoxes {
  Box all;
  Box bar;    ///< facts about the stack, and buttons
  Box heat;   ///< layers and passes
  Box lane;   ///< the typical layer
  Box table;  ///< one row per layer
};

/// The computed fold with the trace that it refers to.
struct LayersContent {
  std::shared_ptr<const Trace> trace;
  FoldedTrace folded;
  std::vector<LayerView> views;
  std::vector<BodyKind> kinds;  ///< by NameId
  bool has_modules = false;     ///< whether the trace contains calls of nn.Module
  std::vector<Message> verdict;
  std::vector<std::vector<Message>> notes;  ///< by view: how the stack was found
};

/// Folds the trace and computes everything that the page shows. `wanted` as for fold_layers().
std::shared_ptr<const LayersContent> layers_content(const std::shared_ptr<const Trace>& trace,
                                                    LayerSource wanted, const std::stop_token& stop);

/// A layer in all passes, or one copy of it.
struct LayerChoice {
  std::size_t grid = 0;  ///< index into LayerView::grids
  std::uint32_t layer = 0;
  std::optional<std::uint32_t> pass;  ///< nullopt: all passes
  bool operator==(const LayerChoice&) const = default;
};

/// A layer over all passes, or one execution of it, that is compared with the typical layer.
struct ComparedLayer {
  LayerChoice choice;
  std::vector<LayerBody> bodies;  ///< by grid; without kernels if there is no copy
};

/// A picture of a grid, in which neighboring layers and passes can share a cell.
struct HeatImage {
  static constexpr std::uint32_t kMissing = 0xffffffffU;
  struct Cell {
    std::uint32_t index = kMissing;  ///< into LayerGrid::cells(): the largest deviation
    bool odd = false;                ///< whether the cell contains odd copies
  };
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
  std::vector<Cell> cells;  ///< by row, then column
};

/// A copy under the mouse, with its kernels.
struct HoveredCopy {
  std::size_t grid = 0;
  std::uint32_t copy = 0;
  LayerBody body;
};

struct LayersState {
  Theme theme;
  float scale = 1;
  LayersBoxes boxes;
  std::shared_ptr<const LayersContent> content;  ///< null until it is computed
  bool failed = false;                           ///< the computation ran out of memory
  bool computing = false;
  LayerSource wanted = LayerSource::none;  ///< the source that the user chose; none: automatic

  std::size_t view_index = 0;
  std::optional<LayerChoice> selected;
  std::optional<std::size_t> outlier;   ///< index of the selected one of LayerView::outliers
  std::vector<ComparedLayer> compared;  ///< at most two, below the typical layer
  bool reveal = false;                  ///< whether the table scrolls to the selected layer
  std::vector<std::uint32_t> order;     ///< indices into LayerView::layers, as sorted; empty: not sorted yet
  std::vector<HeatImage> images;        ///< by grid
  std::optional<HoveredCopy> hovered;   ///< the last copy under the mouse
  std::vector<PageRequest> requests;

  float px(float at_scale_1) const { return std::round(at_scale_1 * scale); }
  /// Whether there is a stack to show.
  bool has_layers() const { return content != nullptr && !content->views.empty(); }
  // The following require has_layers().
  const Trace& trace() const { return *content->trace; }
  const LayerFold& fold() const { return content->folded.fold; }
  const LayerView& view() const { return content->views[view_index]; }
  const LayerStack& stack() const { return fold().stacks[view().stack]; }
  const LayerStack& stack_of(const LayerGrid& grid) const { return fold().stacks[grid.stack()]; }
  /// Returns the second text if the shown stacks are alike parts, and the first one otherwise.
  Text alike_text(Text of_layers, Text of_parts) const {
    return fold().source == LayerSource::alike ? of_parts : of_layers;
  }

  /// Shows the stack with the most time.
  void take(std::shared_ptr<const LayersContent> made);
  void choose_view(std::size_t wanted_view);
  void choose(std::optional<LayerChoice> wanted_choice);
  /// Selects the next (+1) or previous (-1) outlier, and starts again after the last one.
  void step_outlier(int by);
  /// Moves the selection to the next (+1) or previous (-1) layer, within the selected pass if there is one.
  void step_layer(int by);
  /// Moves the selection to the next (+1) or previous (-1) copy of the layer, also into the next grid.
  void step_pass(int by);
  /// Moves the selection to the first pass of the next (+1) or previous (-1) step.
  void step_step(int by);
  /// Requests the timeline to show the selected copy, or the longest copy of the selected layer. Without a
  /// selection, shows the first outlier, or the first copy if there is no outlier.
  void open_selection();

 private:
  ComparedLayer row_of(const LayerChoice& choice) const;
  void compare();
  std::optional<LayerChoice> start_choice() const;
};

/// Sets the boxes of the page's parts, which share the area `all`. Uses ImGui's cursor as the top of the bar.
void place_layers(LayersState& state, const Box& all);

/// "Layer 17" or the module of the layer.
std::string layer_text(const LayersState& state, std::uint32_t layer);
/// "+12.1 %" for 121 per mille.
std::string deviation_text(std::int64_t per_mille_above);
const char* fold_source_text(LayerSource source);

/// Larger deviations are orange; per mille.
inline constexpr std::int64_t kSlowDeviation = 50;
/// Color of a deviation: blue up to 5 % above the median, orange beyond.
std::uint32_t deviation_color(std::int64_t deviation, const Theme& theme);
std::uint32_t body_color(BodyKind kind, const Theme& theme);

/// Draws the title of a part of the page, with an explanation as its tooltip.
void draw_part_title(const LayersState& state, const Box& box, const char* title, const char* note,
                     const char* explanation);

}  // namespace kino
