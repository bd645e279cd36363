// The left block of the job page: names of ranks, groups, streams and threads, and figures beside them.
#pragma once

#include <array>
#include <optional>

#include <imgui.h>

#include "app/pages/job/job_state.hpp"
#include "app/pages/job/step_heat.hpp"
#include "app/ui/widgets/time_column.hpp"
#include "render/pixel_texture.hpp"

namespace kino {

/// Draws the left block. UI thread only, with a current OpenGL context.
class RankLabels {
 public:
  /// Formats of the times by figure, so that a column has one unit; nullopt for figures that are not times.
  using FigureFormats = std::array<std::optional<TimeColumn>, 5>;

  /// Draws the titles of the columns above the block.
  static void draw_titles(ImDrawList& list, const JobState& state, const StepHeat& heat);
  /// Draws the visible rows.
  void draw(ImDrawList& list, const JobState& state, const StepHeat& heat, const JobLine* hovered);

  /// Returns whether `x` is on the arrow that folds a row.
  static bool on_arrow(const JobState& state, float x);

 private:
  struct Painted {
    const JobPicture* picture = nullptr;
    RankFigure figure = RankFigure::sums;
    bool dark = false;
    float row_height = 0;
    double scroll = 0;
    Box labels;
    std::vector<std::uint32_t> shown;
  };
  void draw_low_cells(ImDrawList& list, const JobState& state, const StepHeat& heat);

  PixelTexture cells_;  // cells of rows that are not tall enough for one rectangle per cell
  std::optional<Painted> painted_;
  FigureFormats formats_;
  const JobPicture* formats_of_ = nullptr;  // picture that formats_ belong to
};

}  // namespace kino
