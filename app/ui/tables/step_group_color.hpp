// Colors of the groups of a step's time in charts: the same as in the timeline and in lists of findings.
#pragma once

#include <cstdint>

#include "app/ui/widgets/theme.hpp"
#include "core/tables/summary/step_groups.hpp"

namespace kino {

std::uint32_t step_group_color(StepGroup group, const Theme& theme);

}  // namespace kino
