// The computing chunks of each stage of a pipeline in one step, and its bubble.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <imgui.h>

#include "app/pages/job/job_state.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "core/job/tables/pipelines.hpp"

namespace kino {

/// Draws the chunks and the bubble. UI thread only.
class PipelineChart {
 public:
  /// Draws the pipeline that contains the selected rank, or the one selected in the menu, in the step in the
  /// middle of the view. A click on a chunk shows the chunk in the rows. `pipelines` belong to `job` and must
  /// not be empty.
  void draw(JobState& state, const JobAnalysis& job, std::span<const Pipeline> pipelines, ImVec2 size,
            const DrawContext& look);

 private:
  void draw_choice(const JobState& state, const JobAnalysis& job, std::span<const Pipeline> pipelines,
                   const Pipeline& shown, const PipelineStep* step);
  std::size_t chosen_ = 0;
  std::optional<std::uint32_t> of_rank_;  // rank for which `chosen_` was selected
};

}  // namespace kino
