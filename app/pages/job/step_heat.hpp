// Heat map of ranks and steps: lateness, waiting or duration of each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Shorter waiting is negligible, even if other cells have less.
inline constexpr std::int64_t kNegligibleNs = 100'000;

/// If cells would be too narrow, neighboring steps share one, which shows their maximum.
class StepHeat {
 public:
  /// No cells without a picture or steps, or if the figure is RankFigure::sums.
  explicit StepHeat(const JobState& state);

  bool shown() const { return cells_ > 0; }
  std::size_t cells() const { return cells_; }
  /// Left edge of the first cell on screen, and the width of a cell.
  float left() const { return left_; }
  float cell_px() const { return width_; }
  /// Color strength of a cell, from 0 to 1, and the color at full strength.
  double strength(std::uint32_t rank, std::size_t cell) const;
  std::uint32_t hottest() const;
  /// Draws numbers of steps above the cells.
  void draw_titles(ImDrawList& list) const;
  /// Draws the cells of a rank between `top` and `bottom`.
  void draw(ImDrawList& list, std::uint32_t rank, float top, float bottom) const;
  /// Marks the column of a step, and the cell of one rank in it. The cell's number is drawn beside it if it
  /// does not fit.
  void draw_column(ImDrawList& list, std::size_t step, float top, float bottom) const;
  void draw_chosen(ImDrawList& list, std::uint32_t rank, std::size_t step, float top, float bottom) const;
  /// Index into JobPicture::steps of the cell at `x`; of several steps the one with the maximum.
  std::optional<std::size_t> step_at(std::uint32_t rank, float x) const;
  /// Draws a tooltip with all figures of a cell.
  void draw_card(std::uint32_t rank, std::size_t step) const;

 private:
  std::size_t first_step(std::size_t cell) const { return cell * steps_ / cells_; }
  std::size_t cell_of(std::size_t step) const;
  std::string number_in(std::uint32_t rank, std::size_t step) const;
  bool has_room(const std::string& number, float top, float bottom) const;
  std::size_t step_with_most(std::uint32_t rank, std::size_t cell) const;
  std::optional<std::int64_t> value(std::uint32_t rank, std::size_t step) const;

  const JobState& state_;
  std::size_t steps_ = 0;
  std::size_t cells_ = 0;
  float left_ = 0;
  float width_ = 0;  // of a cell
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
};

}  // namespace kino
