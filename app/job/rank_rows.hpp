// The rows of a job's page: a rank each, its figures to the left and what it did to the right.
#pragma once

#include <cstdint>
#include <optional>

#include <imgui.h>

#include "app/job/job_state.hpp"

namespace kino {

/// UI thread only.
class RankRows {
 public:
  /// Mouse over rows, ruler and wheel. Call inside the window, after the state was placed.
  void handle(JobState& state);
  void draw(ImDrawList& list, const JobState& state) const;

 private:
  /// A kernel under the mouse.
  struct Pick {
    std::uint32_t rank = 0;
    std::uint32_t kernel = 0;
  };
  static std::optional<Pick> pick(const JobState& state, ImVec2 mouse);
  void draw_card(const JobState& state) const;

  std::optional<Pick> hovered_;
  std::optional<std::uint32_t> hovered_row_;
  float dragged_x_ = 0;  // what of the running drag has been applied
  float dragged_y_ = 0;
  bool dragging_ = false;
};

}  // namespace kino
