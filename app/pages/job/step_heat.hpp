// Ranks x steps as a heat map: who was late, waited or took longest in which step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <imgui.h>

#include "app/pages/job/job_state.hpp"

namespace kino {

/// Waiting of less is no matter, however little the others have.
inline constexpr std::int64_t kNoMatterNs = 100'000;

/// Cells of neighbouring steps are one where they would be too narrow; it shows the most of them.
class StepHeat {
 public:
  /// Of what the state shows; none without a picture or steps, or where figures are wanted.
  explicit StepHeat(const JobState& state);

  bool shown() const { return cells_ > 0; }
  std::size_t cells() const { return cells_; }
  /// On screen: of the first cell, and of each.
  float left() const { return left_; }
  float cell_px() const { return width_; }
  /// How much a cell is to be seen, from 0 to 1; and the colour of the most.
  double strength(std::uint32_t rank, std::size_t cell) const;
  std::uint32_t hottest() const;
  /// Numbers of the steps, above the cells.
  void draw_titles(ImDrawList& list) const;
  /// The cells of a rank, between top and bottom.
  void draw(ImDrawList& list, std::uint32_t rank, float top, float bottom) const;
  /// The column in which a step lies, between top and bottom; and its cell of a rank, with its number where
  /// the cells have no room for theirs.
  void draw_column(ImDrawList& list, std::size_t step, float top, float bottom) const;
  void draw_chosen(ImDrawList& list, std::uint32_t rank, std::size_t step, float top, float bottom) const;
  /// The step of the cell at this place, of JobPicture::steps: of several the one with the most.
  std::optional<std::size_t> step_at(std::uint32_t rank, float x) const;
  /// What a cell says, in full.
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
