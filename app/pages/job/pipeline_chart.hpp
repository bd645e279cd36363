// What each stage of a pipeline computed between two messages in one step, and how much of it was bubble.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <imgui.h>

#include "app/pages/job/job_state.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "core/job/tables/pipelines.hpp"

namespace kino {

/// UI thread only.
class PipelineChart {
 public:
  /// Of the pipeline that the selected rank is a stage of, and of the step in the middle of the view. A click
  /// on a chunk goes to it. `pipelines` are of `job`, not empty.
  void draw(JobState& state, const JobAnalysis& job, std::span<const Pipeline> pipelines, ImVec2 size,
            const DrawerLook& look);

 private:
  void draw_choice(const JobState& state, const JobAnalysis& job, std::span<const Pipeline> pipelines,
                   const Pipeline& shown, const PipelineStep* step);
  std::size_t chosen_ = 0;
  std::optional<std::uint32_t> of_rank_;  // that it was chosen for
};

}  // namespace kino
