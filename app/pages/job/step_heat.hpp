// Heat map of ranks and steps: the delay caused, the waiting, the transfer or the duration of each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Waiting shorter than this is negligible, even if all other ranks or cells have less.
inline constexpr std::int64_t kNegligibleNs = 100'000;

/// The cells of the heat map, and their drawing. If cells would be too narrow, adjacent steps share a cell,
/// which shows their maximum.
class StepHeat {
 public:
  /// Creates no cells if there is no picture, no step or no room, or if the figure is RankFigure::sums.
  explicit StepHeat(const JobState& state);

  bool shown() const { return cells_ > 0; }
  std::size_t cells() const { return cells_; }
  /// Return the left edge of the first cell on screen, and the width of a cell.
  float left() const { return left_; }
  float cell_px() const { return width_; }
  /// Return the color strength of a cell, from 0 to 1, and the color at full strength.
  double strength(std::uint32_t rank, std::size_t cell) const;
  std::uint32_t hottest() const;
  /// Draws numbers of steps above the cells.
  void draw_titles(ImDrawList& list) const;
  /// Draws the cells of a rank between `top` and `bottom`.
  void draw(ImDrawList& list, std::uint32_t rank, float top, float bottom) const;
  /// Draw a mark around the column of a step, and around one rank's cell of this step. If the value of this
  /// cell does not fit into it, the value is drawn beside the cell.
  void draw_column(ImDrawList& list, std::size_t step, float top, float bottom) const;
  void draw_chosen(ImDrawList& list, std::uint32_t rank, std::size_t step, float top, float bottom) const;
  /// Returns the index in JobPicture::steps of the step of the cell at `x`; nullopt if there is no cell. If
  /// several steps share the cell, returns the step with the maximum.
  std::optional<std::size_t> step_at(std::uint32_t rank, float x) const;
  /// Draws a tooltip with all figures of a rank in a step.
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
  float width_ = 0;  // width of a cell
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
};

}  // namespace kino
