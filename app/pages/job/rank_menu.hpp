// Menus of the ranks and groups of a job, and their actions, which the inspector offers as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/pages/job/job_state.hpp"

namespace kino {

struct RankAction {
  std::string label;  ///< in the language in use
  std::function<void(JobState&)> run;
};

/// Returns the actions of a rank: its trace, a comparison with the rank of median waiting time, its tracks,
/// the ranks on its machine, and a copy of its description. `rank` is an index into the picture's ranks.
std::vector<RankAction> rank_actions(const JobState& state, std::uint32_t rank);
/// Returns the actions of one of JobState::groups.
std::vector<RankAction> group_actions(const JobState& state, std::size_t group);

/// Opens the menu of JobState::menu if it was requested in this frame, and draws the open one. Call inside
/// the window.
void draw_rank_menu(JobState& state);

}  // namespace kino
